import { expect, test } from 'vitest'
import { parseCallBody } from './call-body.ts'
import { createNameReader } from './name-reader.ts'

/** Returns the value as `JSON.parse` gives it, and whether the names were read apart. */
function parse(text: string, reader = createNameReader(1)) {
  const { value, names } = parseCallBody(Buffer.from(text), reader)
  return {
    value: names === undefined ? value : { ...(value as object), NodeNames: names },
    isApart: names !== undefined,
  }
}

const many = Array.from({ length: 3_000 }, (_, i) => `node-${i}`)

test.for<[string, unknown]>([
  ['no node', { Pod: {}, Nodes: null, NodeNames: [] }],
  ['one node', { Pod: {}, Nodes: null, NodeNames: ['node-1'] }],
  ['more nodes than the reader has room for at first', { NodeNames: many }],
  ['a name in the pod that is not ASCII', { Pod: { metadata: { name: 'ü' } }, NodeNames: ['node-1', 'node-2'] }],
  ['a list of the same name inside the pod', { Pod: { NodeNames: ['x'] }, NodeNames: ['node-1'] }],
])('reads the names of a call apart from the rest: %s', ([, body]) => {
  expect(parse(JSON.stringify(body))).toEqual({ value: body, isApart: true })
})

test.for<[string, string]>([
  ['names with escapes', String.raw`{"NodeNames":["a\"b","\u0061"]}`],
  ['names that are not ASCII', '{"NodeNames":["ü"]}'],
  ['the same name twice', '{"NodeNames":["a","b","a"]}'],
  ['values that are not strings', '{"NodeNames":["a",1]}'],
  ['a list of lists', '{"NodeNames":[["a"]]}'],
  ['spaces between the names', '{"NodeNames":["a", "b"]}'],
  ['a field behind the names', '{"NodeNames":["a"],"Pod":{}}'],
  ['names inside another object', '{"Pod":{"NodeNames":["a"]}}'],
  ['a key that ends like NodeNames', String.raw`{"\"NodeNames":["a"]}`],
  ['no names', '{"Pod":{}}'],
])('reads the whole body when it is not what kube-scheduler sends: %s', ([, text]) => {
  expect(parse(text)).toEqual({ value: JSON.parse(text), isApart: false })
})

test.for([
  '',
  '{',
  '{"NodeNames":[',
  '{"NodeNames":["a"',
  '{"NodeNames":["a',
  '{"NodeNames":["a",]}',
  '{"NodeNames":[,"a"]}',
  '{"NodeNames":["a"]}}',
  '[{"NodeNames":["a"]}',
  '{"Pod":{"NodeNames":["a"]}',
  '{"Pod":,"NodeNames":["a"]}',
  '"NodeNames":["a"]}',
])('a body that is not JSON has no value: %s', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  expect(parse(text)).toEqual({ value: undefined, isApart: false })
})

test('the same names are the same list again, whatever was read before', () => {
  const reader = createNameReader(7)
  const bodies = [['a', 'b'], ['b', 'a', 'c'], ['a', 'a'], [], ['c'], many, ['node-7', 'a'], many.toReversed()]
  for (const names of [...bodies, ...bodies]) {
    expect(parse(JSON.stringify({ NodeNames: names }), reader).value).toEqual({ NodeNames: names })
  }
})

test('the names of the call before are the same list, without new strings', () => {
  const reader = createNameReader(7)
  const namesOf = (text: string): unknown => parseCallBody(Buffer.from(text), reader).names
  const first = namesOf('{"Pod":{"a":1},"NodeNames":["a","b"]}')
  expect(namesOf('{"Pod":null,"NodeNames":["a","b"]}')).toBe(first)
  expect(namesOf('{"Pod":null,"NodeNames":["b","a"]}')).toEqual(['b', 'a'])
})

test.for([
  ['a longer list that ends alike', '{"NodeNames":["c","a","b"]}'],
  ['another key', '{"Names":["a","b"]}'],
  ['a key that ends alike', String.raw`{""NodeNames":["a","b"]}`],
  ['a nested object', '{"Pod":{"NodeNames":["a","b"]}}'],
  ['no object', '["a","b"]}'],
  ['no beginning', '"NodeNames":["a","b"]}'],
])('the names of the call before are not taken for those of %s', ([, text = '']) => {
  const reader = createNameReader(7)
  parse('{"NodeNames":["a","b"]}', reader)
  expect(parse(text, reader)).toEqual(parse(text))
})

test('names that are not sent any more are forgotten, so that a cluster whose nodes change keeps its memory', () => {
  const reader = createNameReader(7)
  for (let day = 0; day < 100; day++) {
    const NodeNames = Array.from({ length: 1_000 }, (_, i) => `node-${day}-${i}`)
    expect(parse(JSON.stringify({ NodeNames }), reader)).toEqual({ value: { NodeNames }, isApart: true })
    expect(reader.keptCount()).toBeLessThan(7_000)
  }
})

test('names longer than the name of a node can be are left to JSON.parse, and are not kept', () => {
  const reader = createNameReader(7)
  const longest = 'n'.repeat(253)
  expect(parse(JSON.stringify({ NodeNames: [longest] }), reader).isApart).toBe(true)
  for (let call = 0; call < 10; call++) {
    const NodeNames = [`${longest}${call}`]
    expect(parse(JSON.stringify({ NodeNames }), reader)).toEqual({ value: { NodeNames }, isApart: false })
  }
  expect(reader.keptCount()).toBe(1)
})

test('many names with one hash are left to JSON.parse', () => {
  const hashOf = (name: string): number => {
    let hash = 0
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01_00_01_93)
    return hash
  }
  const NodeNames = Array.from({ length: 400_000 }, (_, i) => `n${i}`).filter((name) => (hashOf(name) & 0xf_ff) === 7)
  expect(NodeNames.length).toBeGreaterThan(64)
  const body = JSON.stringify({ NodeNames })
  expect(parse(body, createNameReader(0))).toEqual({ value: { NodeNames }, isApart: false })
  expect(parse(body, createNameReader(3)).value).toEqual({ NodeNames })
})

test('a list is read the same whatever order its names had before', () => {
  const reader = createNameReader(7)
  const names = ['a', 'ab', 'abc', '', 'b', 'a-b', 'node-1', 'node-11', 'node-1.example.com']
  const orders = [
    names,
    names.toReversed(),
    names.toSorted(),
    names.slice(2),
    [...names.slice(4), ...names.slice(0, 4)],
  ]
  for (const NodeNames of [...orders, ...orders]) {
    expect(parse(JSON.stringify({ NodeNames }), reader)).toEqual({ value: { NodeNames }, isApart: true })
  }
  for (const NodeNames of [
    ['a', 'ab', 'a'],
    ['a', 'ab', 'ab'],
  ]) {
    expect(parse(JSON.stringify({ NodeNames }), reader)).toEqual({ value: { NodeNames }, isApart: false })
  }
  expect(reader.keptCount()).toBe(names.length)
})
