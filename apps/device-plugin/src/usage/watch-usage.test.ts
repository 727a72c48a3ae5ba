import { createTestClock } from '@berth/clock/testing'
import { createMetrics } from '@berth/process/metrics'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { metricDefinitions } from '../metrics.ts'
import type { PodDevices } from '../node-helper/pod-devices.ts'
import { createUsageWatch } from './watch-usage.ts'

const SEAT = 'e.x/seat'
const held = (pod: string, ...ids: string[]): PodDevices => ({
  namespace: 'default',
  pod,
  container: 'main',
  resourceName: SEAT,
  ids,
})

function setUp(first: readonly PodDevices[]) {
  const clock = createTestClock()
  const metrics = createMetrics('device-plugin', { withProcess: false })
  const state: { held: readonly PodDevices[] | Error } = { held: first }
  const lines: string[] = []
  const stop = new AbortController()
  const told: unknown[] = []
  const watch = createUsageWatch({
    nodeHelper: {
      async listPodDevices() {
        if (state.held instanceof Error) throw state.held
        return state.held
      },
    },
    resourceNames: () => [SEAT],
    onUsage: (usage, askedAtMs) => void told.push([askedAtMs, usage.heldIds(SEAT)]),
    metrics: metrics.instruments(metricDefinitions),
    clock,
    random: () => 0.5,
    log: {
      ...silentLogger,
      warn: (_fields: unknown, text?: string) => void lines.push(text ?? ''),
      error: (fields: object) => void lines.push(JSON.stringify(fields)),
    },
  })
  void watch.run(stop.signal)
  const shown = async (name: string): Promise<readonly string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`berth_device_plugin_${name}`))
  return { clock, state, lines, watch, stop, shown, told }
}

test('publishes the devices of each pod, and forgets a pod that has ended', async () => {
  const { clock, state, watch, shown, stop } = setUp([held('p', 'a', 'b')])
  await clock.run(0)
  const line = (pod: string, count: number) =>
    `berth_device_plugin_pod_devices{resource_name="${SEAT}",namespace="default",pod="${pod}"} ${count}`
  expect(await shown('pod_devices')).toEqual([line('p', 2)])
  state.held = [held('q', 'a')]
  await clock.run(10_000)
  expect(await shown('pod_devices')).toEqual([line('q', 1)])
  expect(watch.current().holders(SEAT, 'a')).toEqual(['default/q/main'])
  stop.abort()
  state.held = []
  await clock.run(30_000)
  expect(await shown('pod_devices')).toEqual([line('q', 1)])
})

test('logs a device that two pods hold once, and counts it until it is over', async () => {
  const { clock, state, lines, shown } = setUp([held('p', 'a'), held('q', 'a')])
  const count = (devices: number) => [`berth_device_plugin_double_assigned_devices{resource_name="${SEAT}"} ${devices}`]
  await clock.run(30_000)
  expect(lines).toEqual([`{"resourceName":"${SEAT}","deviceId":"a","pods":["default/p","default/q"]}`])
  expect(await shown('double_assigned')).toEqual(count(1))
  state.held = [held('p', 'a')]
  await clock.run(10_000)
  expect(await shown('double_assigned')).toEqual(count(0))
})

test('passes each answer on with the time of its question, and nothing while the node helper fails', async () => {
  const { clock, state, told } = setUp([held('p', 'a'), held('q', 'a', 'b')])
  const startMs = clock.monotonic()
  await clock.run(0)
  state.held = new Error('no helper')
  await clock.run(10_000)
  state.held = []
  await clock.run(10_000)
  expect(told).toEqual([
    [startMs, ['a', 'b']],
    [startMs + 20_000, []],
  ])
})

test('keeps the last usage while the node helper fails, counts the failures and logs the first', async () => {
  const { clock, state, lines, watch, shown } = setUp([held('p', 'a')])
  await clock.run(0)
  state.held = new Error('no helper')
  await clock.run(20_000)
  expect(lines).toEqual(['Could not read which container holds which device'])
  expect(await shown('pod_resources_failures')).toEqual(['berth_device_plugin_pod_resources_failures_total 2'])
  expect(watch.current().holders(SEAT, 'a')).toEqual(['default/p/main'])
})
