import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { DesiredUnits } from './desired-units.ts'
import { OWNER_ANNOTATION } from './owner.ts'
import { ADVERTISED_ANNOTATION } from './ownership.ts'
import { planNode, type PlanOptions } from './plan-node.ts'

const dongle = 'example.com/dongle'
const owner = 'berth-system/berth-advertiser'
const since = '2026-11-01T00:00:00.000Z'
const ownedBy = (name: string): string => JSON.stringify({ owner: name, since })
const base: PlanOptions = { owner, nowMs: Date.parse(since) }

interface NodeShape {
  readonly capacity?: Record<string, string>
  readonly allocatable?: Record<string, string>
  readonly owned?: string
  /** The text of the owner's annotation. Default: this installation's, if the node has a record. */
  readonly by?: string | null
  readonly kubeletWrote?: readonly string[]
  /** Names whose allocatable, but not capacity, the kubelet wrote. */
  readonly kubeletLowered?: readonly string[]
}

function node(shape: NodeShape): Node {
  const { capacity = {}, allocatable = capacity, owned, kubeletWrote = [], kubeletLowered = [] } = shape
  const by = shape.by === undefined && owned !== undefined ? ownedBy(owner) : shape.by
  const keys = (names: readonly string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]))
  return {
    metadata: {
      name: 'node-a',
      resourceVersion: '7',
      annotations: {
        ...(owned !== undefined && { [ADVERTISED_ANNOTATION]: owned }),
        ...(typeof by === 'string' && { [OWNER_ANNOTATION]: by }),
      },
      managedFields: [
        {
          manager: 'kubelet',
          fieldsV1: {
            'f:status': {
              'f:capacity': keys(kubeletWrote),
              'f:allocatable': keys([...kubeletWrote, ...kubeletLowered]),
            },
          },
        },
      ],
    },
    status: { capacity, allocatable },
  }
}

const units = (count: bigint): DesiredUnits => ({ kind: 'units', units: count })
const desiredMap = (amounts: Record<string, DesiredUnits>): ReadonlyMap<string, DesiredUnits> =>
  new Map(Object.entries(amounts))
const plan = (on: NodeShape, desired: Record<string, DesiredUnits>, options: Partial<PlanOptions> = {}) =>
  planNode(node(on), desiredMap(desired), { ...base, ...options })
const adopt = { kind: 'unowned' } as const
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
      lowered: new Map(),
      conflicts: [],
      pending: [],
      delayed: [],
      owner: undefined,
      takesOver: false,
      patch: {
        metadata: { annotations: { [ADVERTISED_ANNOTATION]: owned4, [OWNER_ANNOTATION]: ownedBy(owner) } },
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
      metadata: { annotations: { [ADVERTISED_ANNOTATION]: null, [OWNER_ANNOTATION]: null } },
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
    const { patch, conflicts } = plan({ capacity: { [dongle]: '3' } }, { [dongle]: units(4n) }, { adopt })
    expect(conflicts).toEqual([])
    expect(patch?.status?.capacity).toEqual({ [dongle]: '4' })
  })

  test('adopts an equal value by writing only the annotation', () => {
    const { patch, changes } = plan({ capacity: { [dongle]: '4' } }, { [dongle]: units(4n) }, { adopt })
    expect(changes).toMatchObject([{ kind: 'record' }])
    const annotations = { [ADVERTISED_ANNOTATION]: owned4, [OWNER_ANNOTATION]: ownedBy(owner) }
    expect(patch).toEqual({ metadata: { annotations } })
  })

  test('adopts nothing that a node does not offer, and changes nothing that Berth owns already', () => {
    const on = { capacity: { [dongle]: '3' }, owned: JSON.stringify({ [dongle]: '3', 'a.b/gone': '1' }) }
    const { patch, conflicts } = plan(on, { [dongle]: units(4n), 'a.b/new': units(1n) }, { adopt })
    expect([patch, conflicts]).toEqual([undefined, []])
  })

  test('refuses to adopt a resource that a device plugin serves', () => {
    const on = { capacity: { [dongle]: '8' }, kubeletWrote: [dongle] }
    const { patch, conflicts } = plan(on, { [dongle]: units(4n) }, { adopt })
    expect(patch).toBeUndefined()
    expect(conflicts).toMatchObject([{ kind: 'device-plugin', observed: { capacity: 8n }, desired: 4n }])
  })

  test('leaves a resource to a device plugin that took it over', () => {
    const on = { capacity: { [dongle]: '8' }, owned: owned4, kubeletWrote: [dongle] }
    const { patch, conflicts } = plan(on, { [dongle]: units(4n) })
    expect(patch).toBeUndefined()
    expect(conflicts).toMatchObject([{ kind: 'device-plugin', observed: { capacity: 8n } }])
  })

  test.for([
    { it: 'with another number of devices', on: { capacity: { [dongle]: '4' }, kubeletWrote: [dongle] } },
    { it: 'that replaced Berth with the same number of devices', on: { kubeletLowered: [dongle] } },
  ])('does not raise allocatable of a device plugin $it and one unhealthy device', ({ on }) => {
    const shape = { capacity: { [dongle]: '4' }, allocatable: { [dongle]: '3' }, owned: owned4, ...on }
    const { patch, conflicts } = plan(shape, { [dongle]: units(4n) })
    expect(patch).toBeUndefined()
    expect(conflicts).toMatchObject([{ kind: 'device-plugin', observed: { capacity: 4n, allocatable: 3n } }])
  })

  test('leaves a resource whose name a DeviceClass has, and says which one', () => {
    const deviceClassOf = (name: string) => (name === dongle ? 'dongles' : undefined)
    const desired = { [dongle]: units(4n), 'a.b/c': units(1n) }
    const { changes, conflicts } = plan({}, desired, { deviceClassOf })
    expect(changes).toMatchObject([{ resourceName: 'a.b/c' }])
    expect(conflicts).toEqual([{ kind: 'device-class', resourceName: dongle, deviceClass: 'dongles' }])
  })

  test('removes the ownership record but not the value of a device plugin', () => {
    const on = { capacity: { [dongle]: '8' }, owned: owned4, kubeletWrote: [dongle] }
    const annotations = { [ADVERTISED_ANNOTATION]: null, [OWNER_ANNOTATION]: null }
    expect(plan(on, {}).patch).toEqual({ metadata: { annotations } })
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
    const { patch } = planNode({ metadata: { name: 'bare' } }, desiredMap({ [dongle]: units(0n) }), base)
    expect(patch?.status?.capacity).toEqual({ [dongle]: '0' })
  })

  test('leaves a resource as it is until its source has answered', () => {
    const on = { capacity: { [dongle]: '4' }, owned: owned4 }
    expect(plan(on, { [dongle]: { kind: 'pending' } })).toMatchObject({
      patch: undefined,
      conflicts: [],
      pending: [dongle],
      delayed: [],
    })
  })

  test('leaves out the changes that must wait and writes the others', () => {
    const desired = { [dongle]: units(4n), 'a.b/c': units(1n) }
    const mustWait = ({ resourceName }: { readonly resourceName: string }) => resourceName === dongle
    const { patch, delayed } = plan({}, desired, { mustWait })
    expect([patch?.status?.capacity, delayed]).toEqual([{ 'a.b/c': '1' }, [dongle]])
  })
})

describe('the owner of a node', () => {
  const other = 'lab/berth-advertiser'
  const held = { capacity: { [dongle]: '4' }, owned: owned4 }

  test('another installation changes nothing on the node, and names the owner', () => {
    const on = { ...held, by: ownedBy(other) }
    expect(plan(on, { [dongle]: units(2n), 'a.b/c': units(1n) })).toMatchObject({
      patch: undefined,
      owned: new Map(),
      conflicts: [{ kind: 'foreign-owner', owner: { owner: other, since } }],
    })
    expect(plan(on, {})).toMatchObject({ patch: undefined, conflicts: [], owner: { owner: other } })
  })

  test('a record without an owner migrates in one write that keeps the record', () => {
    const migrated = plan({ ...held, by: null }, { [dongle]: units(4n) })
    expect(migrated).toMatchObject({ takesOver: true, changes: [] })
    expect(migrated.patch).toEqual({ metadata: { annotations: { [OWNER_ANNOTATION]: ownedBy(owner) } } })
  })

  test('stays the owner since the first write', () => {
    const later = { nowMs: Date.parse(since) + 60_000 }
    expect(plan(held, { [dongle]: units(6n) }, later).patch?.metadata?.annotations).toEqual({
      [ADVERTISED_ANNOTATION]: JSON.stringify({ [dongle]: '6' }),
    })
  })

  test('an owner without a record owns nothing: an older version removed its record', () => {
    expect(plan({ by: ownedBy(other) }, {}).patch).toBeUndefined()
    expect(plan({ by: ownedBy(owner) }, {}).patch).toEqual({ metadata: { annotations: { [OWNER_ANNOTATION]: null } } })
    const taken = plan({ by: ownedBy(other) }, { [dongle]: units(4n) })
    expect(taken.patch?.metadata?.annotations[OWNER_ANNOTATION]).toBe(ownedBy(owner))
  })

  test('takes over the records of a named installation, and no others', () => {
    const from = { kind: 'records', from: other } as const
    const patchOf = (by: string | null) => plan({ ...held, by }, { 'a.b/c': units(1n) }, { adopt: from }).patch
    expect(patchOf(ownedBy(other))).toEqual({ metadata: { annotations: { [OWNER_ANNOTATION]: ownedBy(owner) } } })
    expect([patchOf(ownedBy('third/party')), patchOf(ownedBy(owner)), patchOf(null)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test.for(['four', '{}', '{"owner":"lab","since":"x"}', '{"owner":1,"since":"x"}', 'null'])(
    'writes nothing to a node whose owner annotation is %s',
    (by) => {
      const { patch, conflicts } = plan({ ...held, by }, { [dongle]: units(2n) })
      expect(patch).toBeUndefined()
      expect(conflicts).toMatchObject([{ kind: 'unreadable-ownership' }])
    },
  )
})

describe('what running pods hold', () => {
  const on = { capacity: { [dongle]: '4', cpu: '2' }, owned: owned4 }
  const using = (count: bigint) =>
    ({
      use: { kind: 'known', byResource: new Map([[dongle, { units: count, pods: ['default/a'] }]]) },
    }) as const

  test.for([
    { it: 'lowers to the declared amount', to: 2n, inUse: 1n, expected: '2', kept: undefined },
    { it: 'lowers only to what pods hold', to: 2n, inUse: 3n, expected: '3', kept: 3n },
    { it: 'keeps the amount that pods hold completely', to: 2n, inUse: 4n, expected: undefined, kept: 4n },
    { it: 'does not raise an amount below use', to: 2n, inUse: 9n, expected: undefined, kept: 4n },
  ])('$it', ({ to, inUse, expected, kept }) => {
    const { patch, conflicts } = plan(on, { [dongle]: units(to) }, using(inUse))
    expect(patch?.status?.allocatable[dongle]).toBe(expected)
    expect(conflicts).toMatchObject(kept === undefined ? [] : [{ kind: 'held', desired: to, kept }])
  })

  test.for([
    { it: 'leaves an amount above what pods hold', inUse: 1n, expected: undefined, kept: undefined },
    { it: 'raises an amount to what pods hold that were bound meanwhile', inUse: 3n, expected: '3', kept: 3n },
    { it: 'raises an amount at most to the former one', inUse: 9n, expected: '4', kept: 4n },
  ])('after a lowering, $it', ({ inUse, expected, kept }) => {
    const at2 = { capacity: { [dongle]: '2' }, owned: JSON.stringify({ [dongle]: '2' }) }
    const lowerings = new Map([[dongle, 4n]])
    const { patch, conflicts, changes } = plan(at2, { [dongle]: units(2n) }, { ...using(inUse), lowerings })
    expect(patch?.status?.allocatable[dongle]).toBe(expected)
    expect(changes).toHaveLength(expected === undefined ? 0 : 1)
    expect(conflicts).toMatchObject(kept === undefined ? [] : [{ kind: 'held', desired: 2n, kept }])
  })

  test('after a withdrawal, a resource that another writer offers stays as it is', () => {
    const lowerings = new Map([[dongle, 4n]])
    const foreign = { capacity: { [dongle]: '2' } }
    expect(plan(foreign, {}, { ...using(3n), lowerings })).toMatchObject({ changes: [], patch: undefined })
    expect(plan({}, {}, { ...using(3n), lowerings }).patch?.status?.capacity).toEqual({ [dongle]: '3' })
    expect(plan({}, {}, { ...using(0n), lowerings })).toMatchObject({ changes: [], patch: undefined })
    const dra = { ...using(3n), lowerings, deviceClassOf: () => 'gpus' }
    expect(plan({}, {}, dra)).toMatchObject({ changes: [], patch: undefined })
  })

  test('keeps a withdrawn resource at what pods hold, owned, until they end', () => {
    const held = plan(on, {}, using(3n))
    expect(held.patch).toEqual({
      metadata: { annotations: { [ADVERTISED_ANNOTATION]: JSON.stringify({ [dongle]: '3' }) } },
      status: { capacity: { [dongle]: '3' }, allocatable: { [dongle]: '3' } },
    })
    expect(held.conflicts).toMatchObject([{ kind: 'held', desired: 0n, kept: 3n }])
    const at3 = { capacity: { [dongle]: '3' }, owned: JSON.stringify({ [dongle]: '3' }) }
    expect(plan(at3, {}, using(3n)).patch).toBeUndefined()
    expect(plan(at3, {}, using(0n)).patch?.status?.capacity).toEqual({ [dongle]: null })
  })

  test('restores what pods hold after a kubelet reset it to zero', () => {
    const reset = { capacity: { [dongle]: '0' }, owned: JSON.stringify({ [dongle]: '3' }), kubeletWrote: [dongle] }
    expect(plan(reset, {}, using(3n)).patch?.status?.capacity).toEqual({ [dongle]: '3' })
  })

  test('lowers nothing while the pods cannot be read', () => {
    const use = { kind: 'unknown', reason: 'forbidden' } as const
    const { patch, conflicts } = plan(on, { [dongle]: units(2n), 'a.b/c': units(1n) }, { use })
    expect(patch?.status?.capacity).toEqual({ 'a.b/c': '1' })
    expect(conflicts).toEqual([{ kind: 'unknown', resourceName: dongle, reason: 'forbidden' }])
  })
})
