import { describe, expect, test } from 'vitest'
import { helmSchema } from './helm-schema.ts'

describe('helmSchema', () => {
  test.for([
    ['a lookahead', '^(?!a).*$'],
    ['a lookbehind', '(?<=a)b'],
    ['a back reference', String.raw`(.)\1`],
  ])('omits a pattern with %s, which Go does not support', ([, pattern]) => {
    expect(helmSchema({ properties: { a: { type: 'string', pattern } } }, {})).toEqual({
      properties: { a: { type: 'string' } },
    })
  })

  test('keeps every other pattern', () => {
    const schema = { items: [{ pattern: String.raw`^(?:a|b)\d+$` }] }
    expect(helmSchema(schema, {})).toEqual(schema)
  })

  test('validates args with the schema of the source that the entry names', () => {
    const count = { type: 'object', required: ['count'], additionalProperties: false }
    const free = { type: 'object' }
    const schema = {
      properties: { source: { type: 'string' }, args: { description: 'Arguments.', anyOf: [count, free] } },
      required: ['source'],
    }
    // Compared as text, because an object with a property `then` would be treated as a promise.
    expect(JSON.stringify(helmSchema(schema, { count, free }))).toBe(
      '{"properties":{"source":{"type":"string"},"args":{"description":"Arguments."}},"required":["source"],"allOf":[' +
        `{"if":{"properties":{"source":{"const":"count"}}},"then":{"properties":{"args":${JSON.stringify(count)}},"required":["args"]}},` +
        '{"if":{"properties":{"source":{"const":"free"}}},"then":{"properties":{"args":{"type":"object"}}}}]}',
    )
  })
})
