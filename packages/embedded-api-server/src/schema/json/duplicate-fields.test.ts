import { assert, json, property } from 'fast-check'
import { expect, test } from 'vitest'
import { duplicateFields } from './duplicate-fields.ts'

test.for([
  ['none', '{"a":1,"b":{"a":2}}', []],
  ['at the top', '{"a":1,"a":2}', ['a']],
  ['below', '{"a":{"b":1,"b":2}}', ['a.b']],
  ['in a list', '{"a":[{"b":1},{"b":1,"b":2}]}', ['a[1].b']],
  ['three times', '{"a":1,"a":2,"a":3}', ['a']],
  ['in a value that a later duplicate replaces', '{"a":{"b":1,"b":2},"a":3}', ['a.b', 'a']],
  ['strings that look like fields', String.raw`{"a":"\"b\":1,\"b\":2","c":["x:",":"]}`, []],
] as const)('finds duplicate fields: %s', ([, text, expected]) => {
  expect([...duplicateFields(text, JSON.parse(text))].toSorted()).toEqual([...expected].toSorted())
})

test('finds no duplicate fields in the output of JSON.stringify', () => {
  assert(
    property(json(), (text) => {
      const value: unknown = JSON.parse(text)
      expect(duplicateFields(JSON.stringify(value), value)).toEqual([])
    }),
  )
})
