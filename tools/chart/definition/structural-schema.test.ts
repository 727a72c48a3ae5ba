import { describe, expect, test } from 'vitest'
import { structuralSchema } from './structural-schema.ts'

describe('structuralSchema', () => {
  test.for([
    ['a string without an upper bound', { type: 'string' }, 'spec.a has no maxLength'],
    ['a list without an upper bound', { type: 'array', items: { type: 'integer' } }, 'spec.a has no maxItems'],
    [
      'a map without an upper bound',
      { type: 'object', additionalProperties: { type: 'integer' } },
      'spec.a has no maxProperties',
    ],
    ['a keyword that is not structural', { oneOf: [] }, 'spec.a uses oneOf, which is not structural'],
    [
      'an unbounded string in a list',
      { type: 'array', maxItems: 2, items: { type: 'string' } },
      'spec.a[] has no maxLength',
    ],
  ] as const)('refuses %s, with its path', ([, inner, message]) => {
    expect(() => structuralSchema({ type: 'object', properties: { a: inner } }, 'spec')).toThrow(message)
  })

  test('drops the closing of objects, because an API server prunes unknown fields', () => {
    const schema = { $schema: 'x', type: 'object', properties: { a: { type: 'boolean' } }, additionalProperties: false }
    expect(structuralSchema(schema)).toEqual({ type: 'object', properties: { a: { type: 'boolean' } } })
  })
})
