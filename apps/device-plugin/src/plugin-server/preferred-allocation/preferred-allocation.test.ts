import type { Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { preferredAllocation, YIELD_INTERVAL } from './preferred-allocation.ts'
import type { AllocationPolicy } from './take-by-policy.ts'

/** `a0` is device a on NUMA node 0, `a01` is on nodes 0 and 1, and `a` has no NUMA node. */
const deviceOf = (id: string): Device | undefined => {
  if (id.startsWith('?')) return undefined
  return { id, health: 'Healthy', numaNodes: id.slice(1).split('').map(Number) }
}
const inventoryOf = (...texts: readonly string[]): readonly Device[] =>
  [...new Set(texts.flatMap(ids))]
    .sort()
    .map(deviceOf)
    .filter((device) => device !== undefined)
const ids = (text: string): string[] => text.split(' ').filter((id) => id !== '')

describe('preferredAllocation', () => {
  test.for([
    { it: 'takes all devices from the one node with enough devices', available: 'a0 b1 c1', size: 2, chosen: 'b1 c1' },
    { it: 'leaves the larger group complete', available: 'a0 b0 c0 d1 e1', size: 2, chosen: 'd1 e1' },
    { it: 'takes the lower node number on a tie', available: 'a1 b1 c0 d0', size: 2, chosen: 'c0 d0' },
    { it: 'uses as few nodes as possible', available: 'a0 b1 c1 d2 e2 f2', size: 5, chosen: 'b1 c1 d2 e2 f2' },
    { it: 'prefers the node of the required devices', available: 'a0 b0 c1 d1', must: 'a0', size: 2, chosen: 'a0 b0' },
    { it: 'counts a device on two nodes for both', available: 'a0 b01 c1 d1', size: 3, chosen: 'b01 c1 d1' },
    { it: 'takes devices without a NUMA node last', available: 'a b c1', size: 2, chosen: 'a c1' },
    { it: 'orders by id when no device has a NUMA node', available: 'c b a', size: 2, chosen: 'a b' },
    { it: 'returns all devices when there are too few', available: 'a0', size: 3, chosen: 'a0' },
    { it: 'treats an unknown device as one without a NUMA node', available: '?x a0', size: 1, chosen: 'a0' },
    { it: 'returns nothing when no device is available', available: '', size: 2, chosen: '' },
    {
      it: 'handles a size below the number of required devices',
      available: 'a0 b0',
      must: 'a0 b0',
      size: 1,
      chosen: 'a0',
    },
    { it: 'handles a negative size', available: 'a0', size: -1, chosen: '' },
  ])('$it', async ({ available, must = '', size, chosen }) => {
    const request = { available: ids(available), mustInclude: ids(must), size }
    expect(await preferredAllocation(request, { inventory: inventoryOf(available, must) })).toEqual(ids(chosen))
  })
})

describe('the slots of shared devices', () => {
  /** `a.1` is slot 1 of device a; `a.1@0` is on NUMA node 0. */
  const slot = (text: string): Device => {
    const [id = '', node] = text.split('@')
    const paths = [`/dev/${id.split('.')[0]}`]
    return { id, health: 'Healthy', paths, ...(node !== undefined && { numaNodes: [Number(node)] }) }
  }
  test.for<{
    readonly it: string
    readonly policy: AllocationPolicy
    readonly available: string
    readonly must?: string
    readonly size: number
    readonly chosen: string
  }>([
    { it: 'fills the fullest device', policy: 'pack', available: 'a.0 a.1 b.1', size: 1, chosen: 'b.1' },
    {
      it: 'fills one device after the other',
      policy: 'pack',
      available: 'a.0 a.1 a.2 b.1 b.2',
      size: 3,
      chosen: 'a.0 b.1 b.2',
    },
    {
      it: 'adds to a required slot',
      policy: 'pack',
      available: 'a.0 a.1 b.0',
      must: 'a.0',
      size: 2,
      chosen: 'a.0 a.1',
    },
    { it: 'takes the emptiest device', policy: 'spread', available: 'a.1 b.0 b.1', size: 1, chosen: 'b.0' },
    {
      it: 'takes each device once, then again',
      policy: 'spread',
      available: 'a.0 a.1 b.0 b.1',
      size: 3,
      chosen: 'a.0 a.1 b.0',
    },
    {
      it: 'avoids the device of a required slot',
      policy: 'spread',
      available: 'a.0 a.1 a.2 b.0',
      must: 'a.0',
      size: 2,
      chosen: 'a.0 b.0',
    },
    {
      it: 'stays on a NUMA node with enough slots',
      policy: 'spread',
      available: 'a.0@0 a.1@0 b.0@1',
      size: 2,
      chosen: 'a.0 a.1',
    },
    {
      it: 'leaves a NUMA node for another device',
      policy: 'distinct',
      available: 'a.0@0 a.1@0 b.0@1',
      size: 2,
      chosen: 'a.0 b.0',
    },
    {
      it: 'takes a second slot when no other device is free',
      policy: 'distinct',
      available: 'a.0 a.1 b.0',
      size: 3,
      chosen: 'a.0 a.1 b.0',
    },
    {
      it: 'avoids the device of a required slot too',
      policy: 'distinct',
      available: 'a.0 a.1 b.0',
      must: 'a.1',
      size: 2,
      chosen: 'a.1 b.0',
    },
  ])('$policy $it', async ({ policy, available, must = '', size, chosen }) => {
    const inventory = ids(available).map(slot)
    const request = { available: inventory.map(({ id }) => id), mustInclude: ids(must), size }
    expect(await preferredAllocation(request, { inventory, policy })).toEqual(ids(chosen))
  })
})

test('lets other work run after every thousand of 30,000 devices, and looks at each NUMA group once', async () => {
  let reads = 0
  const inventory = Array.from({ length: 30_000 }, (_, i): Device => ({
    id: `d${String(i).padStart(5, '0')}`,
    health: 'Healthy',
    get numaNodes() {
      reads++
      return [i % 500]
    },
  }))
  let yields = 0
  let readsAtYield = 0
  let mostReads = 0
  const yieldToOthers = async (): Promise<void> => {
    yields++
    mostReads = Math.max(mostReads, reads - readsAtYield)
    readsAtYield = reads
  }
  const request = { available: inventory.map(({ id }) => id).toReversed(), mustInclude: [], size: 15_000 }
  expect(await preferredAllocation(request, { inventory, yieldToOthers })).toHaveLength(15_000)
  expect(yields).toBeGreaterThanOrEqual(60)
  expect(mostReads).toBeLessThanOrEqual(YIELD_INTERVAL)
  expect(reads).toBeLessThanOrEqual(2 * inventory.length)
})
