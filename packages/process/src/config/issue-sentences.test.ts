import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { issueSentences, pathText } from './issue-sentences.ts'
import { jsonSchema } from './json-schema.ts'

const schema = z.strictObject({
  nodes: z.union([
    z.strictObject({ names: z.array(z.string()) }),
    z.strictObject({ selector: z.strictObject({ zone: z.string() }) }),
  ]),
  source: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('glob') }),
    z.strictObject({ kind: z.literal('count') }),
  ]),
  level: z.int().max(9),
  either: z
    .strictObject({ a: z.int().optional(), b: z.int().optional() })
    .refine(({ a, b }) => a !== b, 'expected either a or b')
    .default({ a: 1 }),
})
const good = { nodes: { names: ['a'] }, source: { kind: 'glob' }, level: 1 }
const sentences = (value: unknown) => {
  const { error } = schema.safeParse(value)
  return issueSentences(error?.issues ?? [], jsonSchema(schema)).map(({ path, text }) => `${pathText(path)}: ${text}`)
}

describe('issueSentences', () => {
  test.for([
    { it: 'says nothing of a legal document', value: good, says: [] },
    {
      it: 'follows the alternative that went wrong deepest',
      value: { ...good, nodes: { selector: { zone: 1 } } },
      says: ['nodes.selector.zone: expected string, received number'],
    },
    {
      it: 'does not guess between alternatives that are equally wrong',
      value: { ...good, nodes: 'all' },
      says: ['nodes: not a legal value'],
    },
    {
      it: 'names the choices of a discriminator',
      value: { ...good, source: { kind: 'glob2' } },
      says: ["source.kind: Invalid discriminator value. Expected 'glob' | 'count'"],
    },
    { it: 'keeps bounds', value: { ...good, level: 10 }, says: ['level: expected number to be <=9'] },
    {
      it: 'names the bound of the key, not that of integers',
      value: { ...good, level: 1e30 },
      says: ['level: expected number to be <=9'],
    },
    {
      it: 'does not also complain of what a misspelt key leaves missing',
      value: { ...good, either: { aa: 1 } },
      says: ['either.aa: no such key; there are a, b'],
    },
    {
      it: 'complains of a broken rule where every key is known',
      value: { ...good, either: {} },
      says: ['either: expected either a or b'],
    },
    {
      it: 'lists the keys when none is near',
      value: { ...good, colour: 'red' },
      says: ['colour: no such key; there are nodes, source, level, either'],
    },
  ])('$it', ({ value, says }) => {
    expect(sentences(value)).toEqual(says)
  })
})
