import { builtInPolicies } from '@berth/built-in-plugins'
import { createLaggingServer } from '@berth/simulator/testing'
import type { ApiHandler, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { runKubeScheduler } from './simulated-kube-scheduler.ts'
import { createTestApi, drive, fit, startTestExtender, type TestApi } from './test-extender.ts'

const SLICE = 'berth.dev/gpu-slice'
const nodeNames = ['node-0', 'node-1', 'node-2', 'node-3', 'node-4']

/** Two devices of ten slices on each of five nodes: each device has room for two pods of four slices. */
const slices = { name: 'device-slices', weight: 1, args: { resource: SLICE, slicesPerDevice: 10 } }
const quota = {
  name: 'namespace-quota',
  weight: 1,
  args: { resources: [{ name: SLICE, label: 'example.com/quota', default: 50 }] },
}

/**
 * Lets a simulated kube-scheduler place 40 pods of four slices, with 50 ms of watch delay and two replicas of which the
 * first is killed after five binds. Returns the bound pods.
 */
async function placeWith(plugin: typeof slices | typeof quota): Promise<readonly Pod[]> {
  const on = createTestApi()
  using lagging = createLaggingServer(on.api, { lagMs: 50, random: () => 0 })
  let isKilled = false
  const start = (bindAs: string, intercept: (handle: ApiHandler) => ApiHandler, api: TestApi = on) =>
    startTestExtender({ on: api, bindAs, plugins: [fit, plugin], registered: builtInPolicies, intercept })
  await using first = await start('replica-a', () => (request) => {
    if (isKilled) return Promise.reject(new Error('the process was killed'))
    return lagging.handle(request)
  })
  await using second = await start('replica-b', () => lagging.handle)
  for (const name of nodeNames) await second.createNode(name, { [SLICE]: '20' })
  const pods: Pod[] = []
  for (let i = 0; i < 40; i++) pods.push(await second.createPod(`pod-${i}`, { [SLICE]: '4' }))
  await second.clock.advance(1_000)
  const run = runKubeScheduler({
    pods,
    nodeNames,
    address: () => (isKilled ? second.address : first.address),
    isBound: ({ metadata }) => (second.view.pod(`default/${metadata.name}`)?.spec.nodeName ?? '') !== '',
    onBound: (count) => (isKilled ||= count >= 5),
    clock: second.clock,
  })
  expect((await drive(second.clock, run)).failures).toBeGreaterThan(0)
  return (await second.listPods()).filter(({ spec }) => (spec.nodeName ?? '') !== '')
}

describe('40 pods of four slices in flight, with a replica that is killed', () => {
  test('hold at most the slices of each device with device-slices', { timeout: 240_000 }, async () => {
    const bound = await placeWith(slices)
    const devices = bound.map(({ metadata, spec }) => `${spec.nodeName} ${metadata.annotations?.[`${SLICE}-device`]}`)
    const counts = Object.fromEntries(
      [...Map.groupBy(devices, (device) => device)].map(([key, all]) => [key, all.length]),
    )
    const expected = nodeNames.flatMap((node) => [0, 1].map((device) => [`${node} ${device}`, 2] as const))
    expect(counts).toEqual(Object.fromEntries(expected))
  })

  test('hold at most the quota of their namespace with namespace-quota', { timeout: 240_000 }, async () => {
    // 50 slices are room for twelve pods of four.
    expect(await placeWith(quota)).toHaveLength(12)
  })
})
