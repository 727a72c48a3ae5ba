import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLineSplitter } from './line-splitter.ts'
import { createListSplitter } from './list-splitter.ts'

/** Any JSON object, with the strings that could confuse a byte scanner. */
const item = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('items', '{', '}', '"', '\\', '[', 'é', '日本')),
  fc.oneof(fc.jsonValue(), fc.constantFrom('"items":[{', '\\"', '}]', '日本語\n')),
)
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })

function* sliced(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

describe('the list splitter', () => {
  // Texts are compared, not parsed objects: V8 14.6 (Node 26.10) parses the key "\\"" as "\\" after an object of that shape.
  test('finds the items of any list in any chunks, and keeps the rest', () => {
    const space = fc.constantFrom('', ' ', '\n  ')
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), item, item, cuts, space, (items, before, after, sizes, gap) => {
        const { items: _, ...head } = before
        const opening = JSON.stringify({ ...head, kind: 'items', metadata: { items: ['no'] } }).slice(0, -1)
        const start = `${opening},${gap}"items"${gap}:${gap}[`
        const end = `]${gap},"tail":${JSON.stringify(after)}${gap}}`
        const texts = items.map((one) => JSON.stringify(one))
        const splitter = createListSplitter()
        const chunks = sliced(Buffer.from(start + gap + texts.join(`${gap},${gap}`) + gap + end), sizes)
        expect([...chunks].flatMap((chunk) => splitter.push(chunk))).toEqual(texts)
        expect(splitter.envelope()).toBe(start + end)
      }),
      { numRuns: 300 },
    )
  })

  test.for(['', '{', '{"items":[', '{"items":[{"a":1}', '{"items":[{"a":1}]', '{"metadata":{}'])(
    'does not take %j for a complete list',
    (text) => {
      const splitter = createListSplitter()
      splitter.push(Buffer.from(text))
      expect(() => splitter.envelope()).toThrow('the list ended early')
    },
  )

  test.for([
    { it: 'a string', items: '["\\""]' },
    { it: 'a string between items', items: '[{}"\\n",{}]' },
    { it: 'a number', items: '[{},7]' },
    { it: 'two items without a comma', items: '[{}{}]' },
    { it: 'two commas', items: '[{},,{}]' },
    { it: 'a comma before the first item', items: '[,{}]' },
    { it: 'a comma after the last item', items: '[{},]' },
    { it: 'a brace that closes the array', items: '[{}}' },
  ])('refuses a list with $it, in any chunks', ({ items }) => {
    const text = `{"items":${items},"metadata":{}}`
    for (const size of [text.length, 1, 2, 3]) {
      const splitter = createListSplitter()
      const push = (): unknown => [...sliced(Buffer.from(text), [size])].map((chunk) => splitter.push(chunk))
      expect(push).toThrow('something other than objects with commas between them')
    }
  })

  test('reads the null that Go writes for an empty list', () => {
    const splitter = createListSplitter()
    expect(splitter.push(Buffer.from('{"kind":"PodList","items":null}'))).toEqual([])
    expect(JSON.parse(splitter.envelope())).toEqual({ kind: 'PodList', items: null })
  })
})

describe('the line splitter', () => {
  test('returns every line complete, in any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), cuts, (texts, sizes) => {
        const lines = texts.map((text) => JSON.stringify(text))
        const splitter = createLineSplitter()
        const found = [...sliced(Buffer.from(lines.map((line) => `${line}\n`).join('')), sizes)].flatMap((chunk) =>
          splitter.push(chunk),
        )
        expect(found).toEqual(lines)
        expect(splitter.pendingBytes()).toBe(0)
      }),
    )
  })

  test('keeps an unfinished line and skips empty lines', () => {
    const splitter = createLineSplitter()
    expect(splitter.push(Buffer.from('\n \na\nbc'))).toEqual(['a'])
    expect(splitter.pendingBytes()).toBe(2)
  })
})
