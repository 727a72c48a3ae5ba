import assert from 'node:assert/strict'
import type { KubernetesObject } from '@berth/types'
import { CommandError } from '../../src/errors.ts'
import { readObjectList } from '../../src/snapshot/object-list-file.ts'

/** Reads a snapshot that arrives in two chunks, which may split a character. */
function read(bytes: Uint8Array): Promise<readonly KubernetesObject[]> {
  const half = bytes.length >> 1
  const readChunks = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, half)
    yield bytes.subarray(half)
  }
  return readObjectList({ readChunks, note: () => undefined }, 'snapshot.yaml')
}

export const contract: string = 'The objects of a snapshot, written as JSON, read as the same objects.'
export const refusals: readonly unknown[] = [CommandError]
export const dictionary: readonly string[] = [
  'items:',
  'apiVersion: v1',
  'kind: Pod',
  'kind: List',
  'metadata:',
  'name: ',
  'namespace: ',
  'labels: ',
  'ownerReferences',
  '- ',
  '&a ',
  '*a',
  '<<: *a',
  '{"items":[',
  '"metadata":{"name":"a"}',
  '\n  ',
]

export const parse = (input: Uint8Array): Promise<readonly KubernetesObject[]> => read(input)

export async function verify(objects: readonly KubernetesObject[]): Promise<void> {
  const text = JSON.stringify({ items: objects })
  assert.equal(JSON.stringify({ items: await read(Buffer.from(text)) }), text)
}
