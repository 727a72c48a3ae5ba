import type { Device } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { preferredAllocation } from './preferred-allocation.ts'
import { allocationPolicies } from './take-by-policy.ts'

const devices = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    health: fc.constant('Healthy' as const),
    numaNodes: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }),
    paths: fc.tuple(fc.constantFrom('/dev/a', '/dev/b', '/dev/c')),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
)

test('returns the requested number of available devices, including the required ones, for every inventory and policy', async () => {
  await fc.assert(
    fc.asyncProperty(
      devices,
      fc.nat(12),
      fc.nat(4),
      fc.constantFrom(...allocationPolicies),
      async (list: readonly Device[], size, must, policy) => {
        const available = list.map(({ id }) => id)
        const mustInclude = available.slice(0, Math.min(must, size))
        const inventory = list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const chosen = await preferredAllocation({ available, mustInclude, size }, { inventory, policy })
        expect(chosen).toHaveLength(Math.min(size, available.length))
        expect(new Set(chosen).size).toBe(chosen.length)
        expect(chosen.every((id) => available.includes(id))).toBe(true)
        expect(mustInclude.every((id) => chosen.includes(id))).toBe(true)
      },
    ),
  )
})

test('never splits a group that fits on one NUMA node', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 }),
      fc.nat(11),
      async (nodes, pick) => {
        const list = nodes.map((node, index) => ({ id: `d${index}`, health: 'Healthy' as const, numaNodes: [node] }))
        const largest = Math.max(...nodes.map((node) => nodes.filter((each) => each === node).length))
        const size = (pick % largest) + 1
        const byId = new Map(list.map((device) => [device.id, device]))
        const available = list.map(({ id }) => id)
        const inventory = list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const chosen = await preferredAllocation({ available, mustInclude: [], size }, { inventory })
        expect(new Set(chosen.map((id) => byId.get(id)?.numaNodes[0])).size).toBe(1)
      },
    ),
  )
})
