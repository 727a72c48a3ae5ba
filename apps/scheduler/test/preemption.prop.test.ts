import { resourceRefs } from '@berth/k8s-client'
import { isBound } from '@berth/resources'
import type { Pod } from '@berth/types'
import { array, assert, asyncProperty, boolean, integer, record, type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'
import { type TestCluster, startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'
const priorities = ['low', 'mid', 'high'] as const

interface Arrival {
  readonly priority: number
  readonly units: number
  /** True if kubelets remove terminating pods after this arrival. */
  readonly reaps: boolean
}

const arrival: Arbitrary<Arrival> = record({
  priority: integer({ min: 0, max: 2 }),
  units: integer({ min: 1, max: 3 }),
  reaps: boolean(),
})

/** Counts the units of bound pods by node, from the API server and not from the scheduler's view. */
async function heldByNode(cluster: TestCluster): Promise<ReadonlyMap<string, number>> {
  const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
  const held = new Map<string, number>()
  for (const { spec } of items) {
    if (!isBound({ spec })) continue
    const units = Number(spec.containers[0]?.resources?.requests?.[DONGLE] ?? 0)
    held.set(spec.nodeName ?? '', (held.get(spec.nodeName ?? '') ?? 0) + units)
  }
  return held
}

async function reap(cluster: TestCluster): Promise<void> {
  const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) await cluster.deletePod(metadata.name ?? '')
  }
  await cluster.settle()
}

test('never over-commits a node in a burst with preemption, and schedules every pod that fits', async () => {
  let preemptions = 0
  await assert(
    asyncProperty(
      array(integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
      array(arrival, { minLength: 4, maxLength: 14 }),
      async (nodes, arrivals) => {
        await using cluster = await startTestCluster()
        for (const [i, value] of [10, 100, 1_000].entries()) {
          await cluster.createPriorityClass(priorities[i] ?? '', value)
        }
        for (const [i, units] of nodes.entries()) await cluster.createNode(`node-${i}`, { [DONGLE]: `${units}` })
        await cluster.settle()
        const check = async (): Promise<void> => {
          const over = [...(await heldByNode(cluster))].filter(
            ([name, units]) => units > (nodes[Number(name.slice(5))] ?? 0),
          )
          expect(over).toEqual([])
        }
        for (const [i, { priority, units, reaps }] of arrivals.entries()) {
          const requests = { [DONGLE]: `${units}` }
          await cluster.createPod(`pod-${i}`, { requests, priorityClassName: priorities[priority] ?? '' })
          if (reaps) await cluster.clock.advance(300)
          await check()
          if (reaps) await reap(cluster)
          await check()
        }
        for (let round = 0; round < 4; round++) {
          await reap(cluster)
          await cluster.clock.advance(11_000)
          await check()
        }
        const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
        preemptions += arrivals.length - items.length
        expect(items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([])
        const waiting = items.filter((each) => !isBound(each))
        const free = nodes.map((units, i) => ({ name: `node-${i}`, units }))
        const held = await heldByNode(cluster)
        for (const { metadata, spec } of waiting) {
          const units = Number(spec.containers[0]?.resources?.requests?.[DONGLE] ?? 0)
          const fits = free.filter((node) => node.units - (held.get(node.name) ?? 0) >= units)
          expect({ pod: metadata.name, fits }).toEqual({ pod: metadata.name, fits: [] })
        }
      },
    ),
    { numRuns: 25, seed: 7 },
  )
  expect(preemptions).toBeGreaterThan(10)
}, 60_000)
