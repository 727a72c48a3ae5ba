import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJsonList } from './json-list.ts'

/** Cuts the bytes of a text at the given positions, which may lie within characters. */
async function* cut(text: string, positions: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const cuts = [...positions.map((position) => position % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  let from = 0
  for (const to of cuts) {
    yield bytes.subarray(from, to)
    from = to
  }
}

const cuts = fc.array(fc.nat(), { maxLength: 12 })

test('parses every list as JSON.parse does, wherever the text is cut', async () => {
  const list = fc.record(
    {
      kind: fc.string({ unit: 'binary' }),
      metadata: fc.jsonValue(),
      items: fc.array(fc.jsonValue()),
      z: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(list, cuts, fc.constantFrom(0, 1, '\t'), async (value, positions, space) => {
      const text = JSON.stringify(value, undefined, space)
      const { items } = JSON.parse(text) as typeof value
      expect(await parseJsonList(cut(text, positions))).toEqual(items)
    }),
  )
})

test('refuses every list that ends early', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.nat(), cuts, async (items, end, positions) => {
      const text = JSON.stringify({ kind: 'List', items, metadata: {} })
      await expect(parseJsonList(cut(text.slice(0, end % text.length), positions))).rejects.toThrow(SyntaxError)
    }),
  )
})

test.for([
  '{"items":[1,]}',
  '{"items":[,1]}',
  '{"items":[1 2]}',
  '{"items":[{]}',
  '{"items":[]]}',
  '{"items":[}',
  '[]x',
])('refuses %s', async (text) => {
  await expect(parseJsonList(cut(text, []))).rejects.toThrow(SyntaxError)
})

test.for([
  '{"list":{"items":[1]}}',
  '{"items":{"a":[1]}}',
  '{"a":"items","b":[1]}',
  '[1]',
  '"items"',
  '{"items":null}',
])('finds no list in %s', async (text) => {
  expect(await parseJsonList(cut(text, []))).toBeUndefined()
})
