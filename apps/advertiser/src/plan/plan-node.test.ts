import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { DesiredUnits } from './desired-units.ts'
import { ADVERTISED_ANNOTATION } from './ownership.ts'
import { planNode } from './plan-node.ts'

const dongle = 'example.com/dongle'

interface NodeShape {
  readonly capacity?: Record<string, string>
  readonly allocatable?: Record<string, string>
  readonly owned?: string
  readonly kubeletWrote?: readonly string[]
}

function node({ capacity = {}, allocatable = capacity, owned, kubeletWrote = [] }: NodeShape): Node {
  return {
    metadata: {
      name: 'node-a',
      resourceVersion: '7',
      ...(owned !== undefined && { annotations: { [ADVERTISED_ANNOTATION]: owned } }),
      managedFields: [
        {
          manager: 'kubelet',
          fieldsV1: { 'f:status': { 'f:capacity': Object.fromEntries(kubeletWrote.map((name) => [`f:${name}`, {}])) } },
        },
      ],
    },
    status: { capacity, allocatable },
  }
}

const units = (count: bigint): DesiredUnits => ({ kind: 'units', units: count })
const desiredMap = (amounts: Record<string, DesiredUnits>): ReadonlyMap<string, DesiredUnits> =>
  new Map(Object.entries(amounts))
const plan = (on: NodeShape, desired: Record<string, DesiredUnits>, adopt = false) =>
  planNode(node(on), desiredMap(desired), { adopt })
const owned4 = JSON.stringify({ [dongle]: '4' })

describe('planNode', () => {
  test('writes capacity, allocatable and the ownership in one patch', () => {
    expect(plan({ capacity: { cpu: '2' } }, { [dongle]: units(4n) })).toEqual({
      nodeName: 'node-a',
      resourceVersion: '7',
      changes: [
        {
          kind: 'set',
          resourceName: dongle,
          observed: { capacity: undefined, allocatable: undefined },
          units: 4n,
          isDrift: false,
        },
      ],
      conflicts: [],
      patch: {
        metadata: { annotations: { [ADVERTISED_ANNOTATION]: owned4 } },
        status: { capacity: { [dongle]: '4' }, allocatable: { [dongle]: '4' } },
      },
      owned: new Map([[dongle, 4n]]),
    })
  })

  test.for([
    { it: 'nothing is declared and nothing is owned', on: {}, desired: {} },
    {
      it: 'the node already has the value',
      on: { capacity: { [dongle]: '4' }, owned: owned4 },
      desired: { [dongle]: units(4n) },
    },
    {
      it: 'the node has the same number in another notation',
      on: { capacity: { [dongle]: '1k' }, owned: JSON.stringify({ [dongle]: 1000 }) },
      desired: { [dongle]: units(1000n) },
    },
    {
      it: 'the source has no value and the node has the old value',
      on: { capacity: { [dongle]: '4' }, owned: owned4 },
      desired: { [dongle]: { kind: 'unknown', reason: 'no answer' } as const },
    },
  ] as const)('writes nothing when $it', ({ on, desired }) => {
    const { patch, changes } = plan(on, desired)
    expect({ patch, changes }).toEqual({ patch: undefined, changes: [] })
  })

  test.for([
    { it: 'another number', on: { capacity: { [dongle]: '7' }, owned: owned4 } },
    { it: 'zero after a kubelet reset', on: { capacity: { [dongle]: '0' }, owned: owned4, kubeletWrote: [dongle] } },
    { it: 'no number at all', on: { owned: owned4 } },
    {
      it: 'only a lower allocatable',
      on: { capacity: { [dongle]: '4' }, allocatable: { [dongle]: '3' }, owned: owned4 },
    },
    { it: 'no allocatable', on: { capacity: { [dongle]: '4' }, allocatable: {}, owned: owned4 } },
  ] as const)('restores its own value when the node has $it', ({ on }) => {
    const { changes, patch } = plan(on, { [dongle]: units(4n) })
    expect(changes).toMatchObject([{ kind: 'set', units: 4n, isDrift: true }])
    expect(patch).toEqual({ status: { capacity: { [dongle]: '4' }, allocatable: { [dongle]: '4' } } })
  })

  test('changes its own value without reporting drift', () => {
    const { changes } = plan({ capacity: { [dongle]: '4' }, owned: owned4 }, { [dongle]: units(6n) })
    expect(changes).toMatchObject([{ kind: 'set', units: 6n, isDrift: false, observed: { capacity: 4n } }])
  })

  test('withdraws an owned resource that is no longer declared, and removes the annotation with the last resource', () => {
    expect(plan({ capacity: { [dongle]: '4', cpu: '2' }, owned: owned4 }, {}).patch).toEqual({
      metadata: { annotations: { [ADVERTISED_ANNOTATION]: null } },
      status: { capacity: { [dongle]: null }, allocatable: { [dongle]: null } },
    })
  })

  test('keeps the other owned resources in the annotation', () => {
    const owned = JSON.stringify({ [dongle]: '4', 'example.com/seat': '1' })
    const on = { capacity: { [dongle]: '4', 'example.com/seat': '1' }, owned }
    expect(plan(on, { [dongle]: units(4n) }).patch?.metadata).toEqual({
      annotations: { [ADVERTISED_ANNOTATION]: owned4 },
    })
  })

  test.for([
    { it: 'a value', on: { capacity: { [dongle]: '3' } } },
    { it: 'a value equal to the declared one', on: { capacity: { [dongle]: '4' } } },
    { it: 'zero', on: { capacity: { [dongle]: '0' } } },
    { it: 'only an allocatable', on: { capacity: {}, allocatable: { [dongle]: '3' } } },
  ] as const)('leaves $it that Berth did not write', ({ on }) => {
    const { patch, conflicts } = plan(on, { [dongle]: units(4n) })
    expect(patch).toBeUndefined()
    expect(conflicts).toMatchObject([{ kind: 'foreign', resourceName: dongle, desired: 4n }])
  })

  test('adopts another value with adopt set', () => {
    const { patch, conflicts } = plan({ capacity: { [dongle]: '3' } }, { [dongle]: units(4n) }, true)
    expect(conflicts).toEqual([])
    expect(patch?.status?.capacity).toEqual({ [dongle]: '4' })
  })

  test('adopts an equal value by writing only the annotation', () => {
    const { patch, changes } = plan({ capacity: { [dongle]: '4' } }, { [dongle]: units(4n) }, true)
    expect(changes).toMatchObject([{ kind: 'record' }])
    expect(patch).toEqual({ metadata: { annotations: { [ADVERTISED_ANNOTATION]: owned4 } } })
  })

  test('leaves a resource to a device plugin that took it over', () => {
    const on = { capacity: { [dongle]: '8' }, owned: owned4, kubeletWrote: [dongle] }
    const { patch, conflicts } = plan(on, { [dongle]: units(4n) })
    expect(patch).toBeUndefined()
    expect(conflicts).toMatchObject([{ kind: 'device-plugin', observed: { capacity: 8n } }])
  })

  test('removes the ownership record but not the value of a device plugin', () => {
    const on = { capacity: { [dongle]: '8' }, owned: owned4, kubeletWrote: [dongle] }
    expect(plan(on, {}).patch).toEqual({ metadata: { annotations: { [ADVERTISED_ANNOTATION]: null } } })
  })

  test('applies none of several declarations of one resource and still writes the others', () => {
    const desired = {
      [dongle]: { kind: 'ambiguous', paths: ['resources[0]', 'resources[2]'] } as const,
      'a.b/c': units(1n),
    }
    const { conflicts, changes } = plan({}, desired)
    expect(conflicts).toEqual([{ kind: 'ambiguous', resourceName: dongle, paths: ['resources[0]', 'resources[2]'] }])
    expect(changes).toMatchObject([{ kind: 'set', resourceName: 'a.b/c' }])
  })

  test.for([
    { it: 'no JSON', owned: 'four' },
    { it: 'a list', owned: '["example.com/dongle"]' },
    { it: 'a native resource name', owned: '{"cpu":"4"}' },
    { it: 'a fraction', owned: JSON.stringify({ [dongle]: '1.5' }) },
    { it: 'a negative count', owned: JSON.stringify({ [dongle]: -1 }) },
    { it: 'a count beyond int64', owned: JSON.stringify({ [dongle]: '9223372036854775808' }) },
    { it: 'a name inherited from Object.prototype', owned: '{"__proto__":"4"}' },
  ])('writes nothing to a node whose annotation holds $it', ({ owned }) => {
    const { patch, conflicts } = plan({ capacity: { [dongle]: '3', cpu: '2' }, owned }, { [dongle]: units(4n) })
    expect(patch).toBeUndefined()
    expect(conflicts).toMatchObject([{ kind: 'unreadable-ownership' }])
  })

  test('plans for a node without a status', () => {
    const { patch } = planNode({ metadata: { name: 'bare' } }, desiredMap({ [dongle]: units(0n) }), { adopt: false })
    expect(patch?.status?.capacity).toEqual({ [dongle]: '0' })
  })
})
