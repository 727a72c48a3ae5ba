import assert from 'node:assert/strict'
import { readTypeOf } from '../../src/encoding/protobuf-kinds.ts'
import { resourceRefs } from '../../src/index.ts'
import { protobufListReader } from '../../src/reflector/read/protobuf-list-reader.ts'
import { protobufObjects } from '../../src/reflector/read/protobuf-objects.ts'
import { protobufWatchReader } from '../../src/reflector/read/protobuf-watch-reader.ts'
import { UndecodableObject } from '../../src/reflector/read/stream-reader.ts'
import { chunksOf, refusing, StreamRefusal } from './stream-refusal.ts'

const podType = readTypeOf(resourceRefs.pods)
assert.ok(podType)
const objects = protobufObjects(podType, { apiVersion: 'v1', kind: 'Pod' })
const CUTS: readonly (readonly number[])[] = [[1], [2, 3], [7, 1, 16]]

export const contract: string = 'A watch and a list of pods in protobuf are read the same in any chunks.'
export const refusals: readonly unknown[] = [StreamRefusal]
export const dictionary: readonly string[] = [
  'k8s\0',
  'ADDED',
  'BOOKMARK',
  'ERROR',
  'Pod',
  'v1',
  'PodList',
  'Status',
  '\n',
  '\x12',
  '\x0a\x02',
  '\0\0\0\x10',
]

/** Reads the bytes as a list if they begin as an object does, and as a watch otherwise. */
export function parse(input: Uint8Array): { readonly input: Uint8Array; readonly read: unknown } {
  return { input, read: refusing(() => readStream(input, [input.length])) }
}

export function verify({ input, read }: ReturnType<typeof parse>): void {
  for (const sizes of CUTS) assert.deepEqual(readStream(input, sizes), read)
}

const plain = (object: unknown): unknown => (object instanceof UndecodableObject ? { partial: object.partial } : object)

function readStream(input: Uint8Array, sizes: readonly number[]): unknown {
  const chunks = chunksOf(input, sizes)
  if (Buffer.from(input.subarray(0, 3)).toString() === 'k8s') {
    const reader = protobufListReader(objects)
    const found = chunks.flatMap((chunk) => reader.push(chunk)).map((payload) => plain(reader.parse(payload)))
    return { found, metadata: reader.metadata() }
  }
  const reader = protobufWatchReader(objects)
  const frames = chunks.flatMap((chunk) => reader.push(chunk)).map((payload) => reader.parse(payload))
  return frames.map((frame) => frame && { type: frame.type, object: plain(frame.object) })
}
