import assert from 'node:assert/strict'
import { decodeObject } from '../../src/reflector/read/decode-object.ts'
import { jsonListReader, jsonWatchReader } from '../../src/reflector/read/json-readers.ts'
import { readBookmark } from '../../src/reflector/read/watch-frame.ts'
import { chunksOf, refusing, StreamRefusal } from './stream-refusal.ts'

const type = { kind: 'Pod', apiVersion: 'v1' }
const CUTS: readonly (readonly number[])[] = [[1], [2, 3], [7, 1, 16]]

export const contract: string =
  'A watch and a list in JSON are read the same in any chunks; a list has the items that JSON.parse finds.'
export const refusals: readonly unknown[] = [StreamRefusal]
export const dictionary: readonly string[] = [
  '"type":"ADDED"',
  '"BOOKMARK"',
  '"ERROR"',
  '"DELETED"',
  '"object":',
  '"metadata":',
  '"items":[',
  '"items":null',
  '"resourceVersion":"7"',
  '"continue":',
  '"name":"a"',
  '"k8s.io/initial-events-end":"true"',
  '\n',
  '\\"',
  '\\\\',
  '}',
  ']',
  '{',
  '[',
  ',',
]

/** Reads the bytes as a watch if they have no list, and as a list otherwise. */
export function parse(input: Uint8Array): { readonly input: Uint8Array; readonly read: unknown } {
  return { input, read: refusing(() => readStream(input, [input.length])) }
}

export function verify({ input, read }: ReturnType<typeof parse>): void {
  for (const sizes of CUTS) assert.deepEqual(readStream(input, sizes), read)
  if (!isList(input)) return
  const { items } = JSON.parse(Buffer.from(input).toString()) as { readonly items?: unknown }
  const { found } = read as { readonly found: readonly unknown[] }
  // The server writes no key twice.
  if (Array.isArray(items) && countOf(input, 'items') === 1)
    assert.deepEqual(
      found,
      items.map((item: object) => ({ ...type, ...item })),
    )
}

const countOf = (input: Uint8Array, word: string): number => Buffer.from(input).toString().split(word).length - 1
const isList = (input: Uint8Array): boolean => countOf(input, '"items"') > 0

function readStream(input: Uint8Array, sizes: readonly number[]): unknown {
  const chunks = chunksOf(input, sizes)
  if (isList(input)) {
    const reader = jsonListReader(type)
    const found = chunks.flatMap((chunk) => reader.push(chunk)).map((payload) => reader.parse(payload))
    return { found, metadata: reader.metadata() }
  }
  const reader = jsonWatchReader()
  return chunks
    .flatMap((chunk) => reader.push(chunk))
    .map((payload) => reader.parse(payload))
    .map(
      (frame) =>
        frame && {
          ...frame,
          bookmark: readBookmark(frame.object),
          key: decodeObject(frame.object, (object) => object).key,
        },
    )
}
