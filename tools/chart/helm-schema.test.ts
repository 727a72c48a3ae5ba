import { describe, expect, test } from 'vitest'
import { helmSchema } from './helm-schema.ts'

describe('helmSchema', () => {
  test.for([
    ['a look ahead', '^(?!a).*$'],
    ['a look behind', '(?<=a)b'],
    ['a back reference', String.raw`(.)\1`],
  ])('leaves out a pattern with %s, which Go does not know', ([, pattern]) => {
    expect(helmSchema({ properties: { a: { type: 'string', pattern } } }, {})).toEqual({
      properties: { a: { type: 'string' } },
    })
  })

  test('keeps every other pattern', () => {
    const schema = { items: [{ pattern: String.raw`^(?:a|b)\d+$` }] }
    expect(helmSchema(schema, {})).toEqual(schema)
  })

  test('lets the source decide what args may be', () => {
    const count = { type: 'object', required: ['count'], additionalProperties: false }
    const free = { type: 'object' }
    const schema = {
      properties: { source: { type: 'string' }, args: { description: 'Arguments.', anyOf: [count, free] } },
      required: ['source'],
    }
    // As text: an object with a property `then` would be taken for a promise.
    expect(JSON.stringify(helmSchema(schema, { count, free }))).toBe(
      '{"properties":{"source":{"type":"string"},"args":{"description":"Arguments."}},"required":["source"],"allOf":[' +
        `{"if":{"properties":{"source":{"const":"count"}}},"then":{"properties":{"args":${JSON.stringify(count)}},"required":["args"]}},` +
        '{"if":{"properties":{"source":{"const":"free"}}},"then":{"properties":{"args":{"type":"object"}}}}]}',
    )
  })
})
