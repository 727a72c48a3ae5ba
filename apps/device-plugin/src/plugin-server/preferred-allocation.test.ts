import type { Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { preferredAllocation } from './preferred-allocation.ts'

/** `a0`: device a on NUMA node 0; `a01`: near to 0 and 1; `a`: near to none. */
const deviceOf = (id: string): Device | undefined => {
  if (id.startsWith('?')) return undefined
  return { id, health: 'Healthy', numaNodes: id.slice(1).split('').map(Number) }
}
const ids = (text: string): string[] => text.split(' ').filter((id) => id !== '')

describe('preferredAllocation', () => {
  test.for([
    { it: 'takes all from the one node that can hold them', available: 'a0 b1 c1', size: 2, chosen: 'b1 c1' },
    { it: 'leaves the larger group whole', available: 'a0 b0 c0 d1 e1', size: 2, chosen: 'd1 e1' },
    { it: 'takes the lower node among equals', available: 'a1 b1 c0 d0', size: 2, chosen: 'c0 d0' },
    { it: 'needs as few nodes as possible', available: 'a0 b1 c1 d2 e2 f2', size: 5, chosen: 'b1 c1 d2 e2 f2' },
    { it: 'stays near what must be included', available: 'a0 b0 c1 d1', must: 'a0', size: 2, chosen: 'a0 b0' },
    { it: 'counts a device near to two nodes for both', available: 'a0 b01 c1 d1', size: 3, chosen: 'b01 c1 d1' },
    { it: 'takes devices without a node last', available: 'a b c1', size: 2, chosen: 'a c1' },
    { it: 'orders by id where no node is known', available: 'c b a', size: 2, chosen: 'a b' },
    { it: 'gives what there is when it is too little', available: 'a0', size: 3, chosen: 'a0' },
    { it: 'asks nothing of devices that it does not know', available: '?x a0', size: 1, chosen: 'a0' },
    { it: 'has no opinion on nothing', available: '', size: 2, chosen: '' },
    { it: 'survives a size below what must be included', available: 'a0 b0', must: 'a0 b0', size: 1, chosen: 'a0' },
    { it: 'survives a negative size', available: 'a0', size: -1, chosen: '' },
  ])('$it', ({ available, must = '', size, chosen }) => {
    const request = { available: ids(available), mustInclude: ids(must), size }
    expect(preferredAllocation(request, deviceOf)).toEqual(ids(chosen))
  })
})
