import { assert, json, property } from 'fast-check'
import { expect, test } from 'vitest'
import { duplicateFields } from './duplicate-fields.ts'

test.for([
  ['none', '{"a":1,"b":{"a":2}}', []],
  ['at the top', '{"a":1,"a":2}', ['a']],
  ['below', '{"a":{"b":1,"b":2}}', ['a.b']],
  ['in a list', '{"a":[{"b":1},{"b":1,"b":2}]}', ['a[1].b']],
  ['three times', '{"a":1,"a":2,"a":3}', ['a']],
  ['of which one is hidden by another', '{"a":{"b":1,"b":2},"a":3}', ['a.b', 'a']],
  ['texts that look like fields', String.raw`{"a":"\"b\":1,\"b\":2","c":["x:",":"]}`, []],
] as const)('fields that stand twice: %s', ([, text, expected]) => {
  expect([...duplicateFields(text, JSON.parse(text))].toSorted()).toEqual([...expected].toSorted())
})

test('what was written by a JSON writer has none', () => {
  assert(
    property(json(), (text) => {
      const value: unknown = JSON.parse(text)
      expect(duplicateFields(JSON.stringify(value), value)).toEqual([])
    }),
  )
})
