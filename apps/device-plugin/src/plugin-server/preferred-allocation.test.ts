import type { Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { preferredAllocation } from './preferred-allocation.ts'

/** `a0` is device a on NUMA node 0, `a01` is on nodes 0 and 1, and `a` has no NUMA node. */
const deviceOf = (id: string): Device | undefined => {
  if (id.startsWith('?')) return undefined
  return { id, health: 'Healthy', numaNodes: id.slice(1).split('').map(Number) }
}
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
  ])('$it', ({ available, must = '', size, chosen }) => {
    const request = { available: ids(available), mustInclude: ids(must), size }
    expect(preferredAllocation(request, deviceOf)).toEqual(ids(chosen))
  })
})
