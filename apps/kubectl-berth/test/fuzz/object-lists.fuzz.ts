import assert from 'node:assert/strict'
import type { KubernetesObject } from '@berth/types'
import { CommandError } from '../../src/errors.ts'
import { readObjectList } from '../../src/snapshot/object-list-file.ts'

const read = (text: string): Promise<readonly KubernetesObject[]> =>
  readObjectList({ readFile: () => Promise.resolve(text), note: () => undefined }, 'snapshot.yaml')

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

export const parse = (input: Uint8Array): Promise<readonly KubernetesObject[]> => read(Buffer.from(input).toString())

export async function verify(objects: readonly KubernetesObject[]): Promise<void> {
  const text = JSON.stringify({ items: objects })
  assert.equal(JSON.stringify({ items: await read(text) }), text)
}
