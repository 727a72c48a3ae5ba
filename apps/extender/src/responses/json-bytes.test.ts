import { expect, test } from 'vitest'
import { JsonBytes } from './json-bytes.ts'

test.for([
  ['names of nodes', ['node-1', 'ip-10-0-0-1.example.com', '']],
  ['characters that JSON escapes', ['a"b', 'a\\', '\n', '\u0000', '\u007f']],
  ['characters beyond ASCII', ['ü', '日本', '😀', '\ud800']],
  ['a text longer than the buffer', ['x'.repeat(10_000), 'ü'.repeat(10_000), 'after']],
] as const)('writes what JSON.stringify writes: %s', ([, values]) => {
  const json = new JsonBytes(Buffer.alloc(4))
  json.texts(values)
  expect(json.written().toString('utf8')).toBe(JSON.stringify(values))
})

test('a text is written after what was written before it, also when it needs escapes', () => {
  const json = new JsonBytes(Buffer.alloc(1))
  json.raw('{')
  json.text('kä"se')
  json.encoded(Buffer.from(':1}'))
  expect(json.written().toString('utf8')).toBe('{"kä\\"se":1}')
})

test('a long text takes the memory of its bytes, not of the longest bytes that it could have', () => {
  const json = new JsonBytes(Buffer.alloc(1))
  json.raw('x'.repeat(1_000_000))
  expect(json.buffer.length).toBe(1_000_000)
  json.raw('ü'.repeat(2_000_000))
  expect(json.buffer.length).toBe(5_000_000)
})

test.for([':"Insufficient example.com/dongle",', ':"zu wenig Geräte 日本",'])(
  'names with %s between them are written as one after another, into a buffer that grows',
  (between) => {
    const names = Array.from({ length: 2_000 }, (_, i) => `node-${i}`)
    const json = new JsonBytes(Buffer.alloc(3))
    json.raw('{')
    json.plainTexts(names, between)
    json.raw(':1}')
    expect(json.written().toString('utf8')).toBe(`{${names.map((name) => `"${name}"`).join(between)}:1}`)
    const none = new JsonBytes(Buffer.alloc(0))
    none.plainTexts([], between)
    expect(none.written().length).toBe(0)
  },
)
