import { createLaggingServer } from '@berth/simulator/testing'
import type { ApiHandler, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { runKubeScheduler } from './simulated-kube-scheduler.ts'
import { createTestApi, drive, startTestExtender, type TestApi, type TestExtender } from './test-extender.ts'

const DONGLE = 'example.com/dongle'
const NODES = 50
const UNITS_PER_NODE = 10
const PODS = 1_000
const WATCH_DELAY_MS = 50

const nodeNames = Array.from({ length: NODES }, (_, i) => `node-${i}`)

function startReplica(on: TestApi, bindAs: string, intercept: (handle: ApiHandler) => ApiHandler) {
  return startTestExtender({ on, bindAs, ignoredResources: [DONGLE], intercept })
}

async function createWorkload(extender: TestExtender): Promise<readonly Pod[]> {
  for (const name of nodeNames) await extender.createNode(name, { [DONGLE]: `${UNITS_PER_NODE}` })
  const pods: Pod[] = []
  for (let i = 0; i < PODS; i++) pods.push(await extender.createPod(`pod-${i}`, { [DONGLE]: '1' }))
  await extender.clock.advance(1_000)
  return pods
}

function isBoundIn({ view }: TestExtender): (pod: Pod) => boolean {
  return ({ metadata }) => (view.pod(`default/${metadata.name}`)?.spec.nodeName ?? '') !== ''
}

/** Returns the number of bound pods and the nodes with more pods than units, as the API server sees them. */
async function placement(extender: TestExtender): Promise<{ bound: number; overcommitted: readonly string[] }> {
  const placed = (await extender.listPods()).flatMap(({ spec }) => spec.nodeName ?? [])
  const byNode = Map.groupBy(placed, (node) => node)
  const overcommitted = [...byNode].filter(([, pods]) => pods.length > UNITS_PER_NODE).map(([node]) => node)
  return { bound: placed.length, overcommitted }
}

describe('1,000 pods for 500 units with 50 ms of watch delay', () => {
  test('bind exactly 500', { timeout: 240_000 }, async () => {
    const on = createTestApi()
    using lagging = createLaggingServer(on.api, { lagMs: WATCH_DELAY_MS, random: () => 0 })
    await using extender = await startReplica(on, 'replica-a', () => lagging.handle)
    const pods = await createWorkload(extender)
    const { address, clock } = extender
    const run = runKubeScheduler({ pods, nodeNames, address: () => address, isBound: isBoundIn(extender), clock })
    expect(await drive(clock, run)).toMatchObject({ bound: 500, unschedulable: 500 })
    expect(await placement(extender)).toEqual({ bound: 500, overcommitted: [] })
    expect(lagging.staleReads).toBeGreaterThan(0)
  })

  test('bind exactly 500 when one of two replicas is killed in the middle', { timeout: 240_000 }, async () => {
    const on = createTestApi()
    using lagging = createLaggingServer(on.api, { lagMs: WATCH_DELAY_MS, random: () => 0 })
    let isKilled = false
    await using first = await startReplica(on, 'replica-a', () => (request) => {
      if (isKilled) return Promise.reject(new Error('the process was killed'))
      return lagging.handle(request)
    })
    await using second = await startReplica(on, 'replica-b', () => lagging.handle)
    const pods = await createWorkload(second)
    const { clock } = second
    const run = runKubeScheduler({
      pods,
      nodeNames,
      address: () => (isKilled ? second.address : first.address),
      isBound: isBoundIn(second),
      // The responses of the binds in flight are lost, and the Lease of the first replica is not released.
      onBound: (count) => (isKilled ||= count >= 200),
      clock,
    })
    const result = await drive(clock, run)
    expect(result.failures).toBeGreaterThan(0)
    expect(await placement(second)).toEqual({ bound: 500, overcommitted: [] })
  })
})
