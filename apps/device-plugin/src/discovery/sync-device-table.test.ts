import { createTestClock, type TestClock } from '@berth/clock/testing'
import type { DeviceSource } from '@berth/plugin-api'
import { silentLogger, type Device } from '@berth/types'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDeviceTable, type DeviceTable } from '../devices/device-table.ts'
import { syncDeviceTable } from './sync-device-table.ts'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })

async function follow(source: DeviceSource): Promise<{
  readonly clock: TestClock
  readonly table: DeviceTable
  readonly shown: () => string
  readonly failures: () => number
  readonly pass: (ms: number) => Promise<void>
}> {
  const clock = createTestClock()
  const stop = new AbortController()
  const log = silentLogger
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log })
  let failures = 0
  const onDiscovery = (failure: string | undefined): void => void (failure !== undefined && failures++)
  const options = { resourceName: 'e.x/d', source, table, probeMs: 1000, clock, random: () => 0.5, log, onDiscovery }
  const running = syncDeviceTable(options, stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  await settle()
  return {
    clock,
    table,
    shown: () => (table.list() ?? []).map(({ id, health, reason }) => `${id}=${reason ?? health}`).join(' '),
    failures: () => failures,
    async pass(ms) {
      clock.advance(ms)
      await settle()
    },
  }
}

describe('syncDeviceTable', () => {
  test.for([
    {
      it: 'throws',
      end: () => {
        throw new Error('no bus')
      },
    },
    { it: 'ends', end: () => {} },
  ])('keeps the inventory of a source that $it, counts the failure, and restarts the source', async ({ end }) => {
    let starts = 0
    const { failures, pass, shown } = await follow({
      async *discover() {
        starts++
        yield [{ id: `a${starts}`, health: 'Healthy' }]
        end()
      },
      allocate: () => ({}),
    })
    expect(shown()).toBe('a1=Healthy')
    expect(failures()).toBe(1)
    await pass(1000)
    expect(shown()).toBe('a2=Healthy')
    await pass(1999)
    expect(starts).toBe(2)
    await pass(1)
    expect(starts).toBe(3)
  })

  test('reports the last inventory as unhealthy after a second failure, until the source yields again', async () => {
    let starts = 0
    const { pass, shown } = await follow({
      async *discover(signal) {
        if (++starts === 2) throw new Error('no bus')
        yield [{ id: 'a', health: 'Healthy' }]
        if (starts > 1) await untilAborted(signal)
      },
      allocate: () => ({}),
    })
    expect(shown()).toBe('a=Healthy')
    await pass(1000)
    expect(shown()).toBe('a=discovery fails; see the log')
    await pass(2000)
    expect(shown()).toBe('a=Healthy')
  })

  test('probes each device; a device that the source reports as unhealthy stays unhealthy', async () => {
    const devices: Device[] = [
      { id: 'a', health: 'Healthy' },
      { id: 'b', health: 'Unhealthy', reason: 'says the source' },
    ]
    let answer: { readonly health: 'Healthy' | 'Unhealthy'; readonly reason?: string } = { health: 'Healthy' }
    const { pass, shown } = await follow({
      async *discover(signal) {
        yield devices
        await untilAborted(signal)
      },
      probe: async () => answer,
      allocate: () => ({}),
    })
    await pass(1000)
    expect(shown()).toBe('a=Healthy b=says the source')
    answer = { health: 'Unhealthy', reason: 'no pulse' }
    await pass(1000)
    expect(shown()).toBe('a=no pulse b=says the source')
    answer = { health: 'Healthy' }
    await pass(1000)
    expect(shown()).toBe('a=Healthy b=says the source')
  })

  test('a probe that times out makes the device unhealthy', async () => {
    const { pass, shown } = await follow({
      async *discover(signal) {
        yield [{ id: 'a', health: 'Healthy' }]
        await untilAborted(signal)
      },
      probe: () => new Promise(() => {}),
      allocate: () => ({}),
    })
    await pass(1000)
    await pass(10_000)
    expect(shown()).toBe('a=probe failed: no answer within 10 s')
  })

  test.for([{ hasProbe: true }, { hasProbe: false }])(
    'lists a device with a failed allocation as unhealthy until a probe passes (source with probe: $hasProbe)',
    async ({ hasProbe }) => {
      let isWell = false
      const check = async (): Promise<void> => {
        if (!isWell) throw new Error('no pulse')
      }
      const { pass, shown, table } = await follow({
        async *discover(signal) {
          yield [
            { id: 'a', health: 'Healthy' },
            { id: 'b', health: 'Healthy' },
          ]
          await untilAborted(signal)
        },
        ...(hasProbe && {
          probe: (device) =>
            check().then(
              () => device,
              () => ({ health: 'Unhealthy' as const }),
            ),
        }),
        allocate: () => check().then(() => ({})),
      })
      table.failAllocation(['a'], 'allocation failed: no pulse')
      expect(shown()).toBe('a=allocation failed: no pulse b=Healthy')
      await pass(1000)
      expect(shown()).toMatch(hasProbe ? /^a=the probe gives no reason/u : /^a=allocation failed: no pulse b=Healthy/u)
      isWell = true
      await pass(1000)
      await pass(50)
      expect(shown()).toBe('a=Healthy b=Healthy')
    },
  )

  test('keeps a failure that occurs while a probe runs', async () => {
    let answer = (): void => {}
    const { pass, shown, table } = await follow({
      async *discover(signal) {
        yield [{ id: 'a', health: 'Healthy' }]
        await untilAborted(signal)
      },
      probe: () =>
        new Promise((resolve) => {
          answer = () => resolve({ health: 'Healthy' })
        }),
      allocate: () => ({}),
    })
    await pass(1000)
    table.failAllocation(['a'], 'allocation failed')
    answer()
    await pass(50)
    expect(shown()).toBe('a=allocation failed')
  })

  test('probes devices at the same time, with a bound', async () => {
    const devices: Device[] = Array.from({ length: 100 }, (_, i) => ({ id: `d${i}`, health: 'Healthy' }))
    const running = new Set<string>()
    let most = 0
    const { pass, shown } = await follow({
      async *discover(signal) {
        yield devices
        await untilAborted(signal)
      },
      probe: (device, signal) => {
        running.add(device.id)
        most = Math.max(most, running.size)
        signal.addEventListener('abort', () => running.delete(device.id))
        return new Promise(() => {})
      },
      allocate: () => ({}),
    })
    await pass(1000)
    expect(most).toBe(32)
    for (let round = 0; round < 4; round++) await pass(10_000)
    await pass(50)
    expect(most).toBe(32)
    expect(shown().match(/no answer/gu)).toHaveLength(100)
  })
})
