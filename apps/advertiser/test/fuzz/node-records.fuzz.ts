import assert from 'node:assert/strict'
import { BerthError } from '@berth/types'
import {
  ADVERTISED_ANNOTATION,
  readOwnership,
  readRecord,
  writeOwnership,
  type NodeRecord,
} from '../../src/plan/ownership.ts'
import { OWNER_ANNOTATION, readOwner, writeOwner } from '../../src/plan/owner.ts'

/** Berth did not write the record. */
class RecordRefusal extends BerthError {
  constructor(reason: string) {
    super(reason, { code: 'BERTH_FUZZ_RECORD' })
  }
}

export const contract: string = 'A record that can be read is written as a record that reads the same.'
export const refusals: readonly unknown[] = [RecordRefusal]
export const dictionary: readonly string[] = [
  '"example.com/dongle"',
  '"4"',
  '9223372036854775807',
  '"owner":',
  '"since":',
  '"kube-system/berth"',
  '"2026-01-01T00:00:00Z"',
  '"cpu"',
  '\n',
]

/** The first line is the record, the second one its owner. */
export function parse(input: Uint8Array): Extract<NodeRecord, { kind: 'read' }> {
  const [record = '', owner] = Buffer.from(input).toString().split('\n', 2)
  const annotations = { [ADVERTISED_ANNOTATION]: record, ...(owner !== undefined && { [OWNER_ANNOTATION]: owner }) }
  const read = readRecord({ metadata: { name: 'n', annotations } })
  if (read.kind === 'unreadable') throw new RecordRefusal(read.reason)
  return read
}

export function verify({ units, owner }: ReturnType<typeof parse>): void {
  assert.deepEqual(readOwnership(writeOwnership(units) ?? undefined), { kind: 'read', units })
  if (owner !== undefined) assert.deepEqual(readOwner(writeOwner(owner)), owner)
  for (const amount of units.values()) assert.equal(BigInt.asUintN(63, amount), amount)
}
