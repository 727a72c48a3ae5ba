import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { configKeys } from './config-keys.ts'
import { defineConfig } from './define-config.ts'

const define = (schema: z.ZodObject) =>
  defineConfig({ name: 'x', summary: 'X.', schema, examples: [{ command: 'x', description: 'X.' }] })

describe('defineConfig', () => {
  test.for([
    { it: 'a key without a description', schema: z.strictObject({ a: z.string() }), says: 'no description' },
    {
      it: 'a key that every program has',
      schema: z.strictObject({ logLevel: z.string().describe('L.') }),
      says: 'already',
    },
    { it: 'a key in kebab case', schema: z.strictObject({ 'a-b': z.string().describe('A.') }), says: 'camelCase' },
    {
      it: 'a key that a Service would set',
      schema: z.strictObject({ servicePort: z.string().describe('P.') }),
      says: 'Service',
    },
    { it: 'the bare port', schema: z.strictObject({ port: z.number().describe('P.') }), says: 'Service' },
  ])('refuses $it', ({ schema, says }) => {
    expect(() => define(schema)).toThrow(says)
  })

  test('finds a description behind default and optional', () => {
    const definition = define(
      z.strictObject({ a: z.string().describe('A.').default('x'), b: z.string().describe('B.').optional() }),
    )
    expect(definition.envPrefix).toBe('BERTH_X_')
  })
})

describe('configKeys', () => {
  test('lists each place, outer before inner, with type, default and need', () => {
    const definition = define(
      z.strictObject({
        rules: z
          .array(
            z.discriminatedUnion('kind', [
              z.strictObject({ kind: z.literal('one').describe('First kind.'), at: z.int().describe('Where.') }),
              z.strictObject({ kind: z.literal('two').describe('Second kind.') }),
            ]),
          )
          .describe('Rules.'),
        labels: z
          .record(z.string(), z.strictObject({ value: z.string().describe('Text.') }))
          .default({})
          .describe('Labels.'),
        either: z.union([z.string(), z.number()]).default(1).describe('Either.'),
      }),
    )
    expect(
      configKeys(definition).map(({ path, type, isRequired, default: fallback }) => [path, type, isRequired, fallback]),
    ).toEqual([
      ['rules', 'list of object', true, undefined],
      ['rules[].kind', '"one"', true, undefined],
      ['rules[].at', 'integer', true, undefined],
      ['rules[].kind', '"two"', true, undefined],
      ['labels', 'map of object', false, '{}'],
      ['labels.*.value', 'string', true, undefined],
      ['either', 'string | number', false, '1'],
      ['logLevel', '"debug" | "info" | "warn" | "error"', false, '"info"'],
      ['logFormat', '"auto" | "text" | "json"', false, '"auto"'],
    ])
    expect(configKeys(definition)[0]).toMatchObject({ flag: '--rules', env: 'BERTH_X_RULES' })
    expect(configKeys(definition)[1]).not.toHaveProperty('flag')
  })
})
