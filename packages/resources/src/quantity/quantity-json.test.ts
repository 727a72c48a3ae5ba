import { describe, expect, test } from 'vitest'
import { QuantityError } from '../errors.ts'
import { decodeQuantity, quantityOf } from './quantity-json.ts'

describe('decodeQuantity', () => {
  test.for([
    { json: '"5"', text: '5', format: 'DecimalSI' },
    { json: ' "5" ', text: '5', format: 'DecimalSI' },
    { json: '"  1Gi\u00a0\u0085"', text: '1Gi', format: 'BinarySI' },
    { json: '1e3', text: '1e3', format: 'DecimalExponent' },
    { json: '1000', text: '1k', format: 'DecimalSI' },
    { json: '-2.50', text: '-2500m', format: 'DecimalSI' },
    { json: 'null', text: '0', format: '' },
  ])('decodes $json', ({ json, text, format }) => {
    const quantity = decodeQuantity(json)
    expect([quantity.toString(), quantity.format]).toEqual([text, format])
  })

  test.for(['""', '"  "', 'true', '{}', '[1]', '"\\u0031"', '"\ufeff1"', '', '"1', '1 2', '01'])(
    'refuses %s',
    (json) => {
      expect(() => decodeQuantity(json)).toThrow(QuantityError)
    },
  )
})

describe('quantityOf', () => {
  test.for([
    { field: '500m', text: '500m' },
    { field: ' 1Gi\t', text: '1Gi' },
    { field: 3, text: '3' },
    { field: null, text: '0' },
    { field: undefined, text: '0' },
  ])('reads the field $field', ({ field, text }) => {
    expect(quantityOf(field).toString()).toBe(text)
  })

  test('trims a long run of spaces in linear time', () => {
    const text = `1${' '.repeat(200_000)}2`
    expect(() => quantityOf(`${text} `)).toThrow(QuantityError)
    expect(() => decodeQuantity(JSON.stringify(`${text} `))).toThrow(QuantityError)
    expect(quantityOf(`${' '.repeat(200_000)}5${' '.repeat(200_000)}`).canonical()).toBe('5')
  })

  test.for(['', true, {}, ['5'], { value: '5' }])('refuses %j', (field) => {
    expect(() => quantityOf(field)).toThrow(QuantityError)
  })
})
