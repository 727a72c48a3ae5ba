import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeviceTable } from '../devices/device-table.ts'
import { createProbes } from './create-probes.ts'
import { createDeviceProber } from './probe-devices.ts'
import { probeConfig } from './probe-config.ts'
import type { Probe } from './probe.ts'
import { silentLogger, type Device } from '@berth/types'
import { createTestClock } from '@berth/clock/testing'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

function probeOf(run: Probe['run'], more: Partial<Probe> = {}): Probe {
  return {
    name: 'test',
    intervalMs: 1_000,
    timeoutMs: 500,
    thresholds: { failures: 1, successes: 1, dampingMs: 0 },
    onFailure: 'unhealthy',
    run,
    watchedDirectories: () => [],
    ...more,
  }
}
const answer = (reason: string | undefined) =>
  reason === undefined ? ({ health: 'Healthy' } as const) : ({ health: 'Unhealthy', reason } as const)

async function setUp(probes: readonly Probe[], devices: readonly Device[]) {
  const clock = createTestClock()
  const stop = new AbortController()
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log: silentLogger })
  const tasks = probes.map((probe) => ({ probe, isOptimistic: false }))
  const prober = createDeviceProber({ tasks, table, clock, log: silentLogger })
  const running = prober.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  table.update(devices)
  prober.setInventory(devices)
  const shown = (): string =>
    (table.list() ?? []).map(({ id, health, reason }) => `${id}=${reason ?? health}`).join(' ')
  return {
    clock,
    table,
    setInventory: (next: readonly Device[]): void => {
      table.update(next)
      prober.setInventory(next)
    },
    shown,
    pass: async (ms: number): Promise<void> => {
      clock.advance(ms)
      await settle()
    },
  }
}
const device = (id: string, ...paths: readonly string[]): Device => ({ id, health: 'Healthy', paths })

test('a device is unhealthy until it was probed, and is probed at once', async () => {
  const { shown, pass } = await setUp([probeOf(async () => answer(undefined))], [device('a')])
  expect(shown()).toBe('a=it was not probed yet')
  await pass(0)
  await pass(50)
  await pass(100)
  expect(shown()).toBe('a=Healthy')
})

test('the first probe that fails gives the reason, and a probe may remove the device', async () => {
  const reasons: (string | undefined)[] = [undefined, undefined, undefined]
  const probes = reasons.map((_, index) =>
    probeOf(async () => answer(reasons[index]), { name: `p${index}`, onFailure: index === 2 ? 'remove' : 'unhealthy' }),
  )
  const { shown, pass, table } = await setUp(probes, [device('a')])
  const round = async (...next: readonly (string | undefined)[]): Promise<string> => {
    reasons.splice(0, 3, ...next)
    await pass(1_000)
    await pass(100)
    return shown()
  }
  await pass(100)
  expect(await round(undefined, 'hot', undefined)).toBe('a=hot')
  expect(await round('cold', 'hot', undefined)).toBe('a=cold')
  expect(table.causeOf('a')).toBe('p0')
  expect(await round('cold', 'hot', 'gone')).toBe('')
  expect(table.removed()).toMatchObject([{ id: 'a', reason: 'gone' }])
  expect(await round(undefined, undefined, undefined)).toBe('a=Healthy')
})

test('a probe that does not answer fails at its deadline, and the others go on', async () => {
  const probe = probeOf(({ id }) => (id === 'a' ? new Promise(() => {}) : Promise.resolve(answer(undefined))))
  const { shown, pass } = await setUp([probe], [device('a'), device('b')])
  await pass(0)
  await pass(50)
  await pass(500)
  await pass(100)
  expect(shown()).toBe('a=probe failed: no answer within 0.5 s b=Healthy')
})

test.for([
  { it: 'before the run ended', returnsFirst: true },
  { it: 'after the run ended', returnsFirst: false },
])(
  'a device that left during a run and returned $it is unhealthy until it was probed again',
  async ({ returnsFirst }) => {
    const runs: PromiseWithResolvers<ReturnType<typeof answer>>[] = []
    const probe = probeOf(() => {
      const run = Promise.withResolvers<ReturnType<typeof answer>>()
      runs.push(run)
      return run.promise
    })
    const { setInventory, shown, pass } = await setUp([probe], [device('a')])
    const untilRuns = (count: number): Promise<void> =>
      vi.waitFor(
        async () => {
          await pass(50)
          expect(runs).toHaveLength(count)
        },
        { timeout: 30_000, interval: 2 },
      )
    await untilRuns(1)
    setInventory([])
    if (returnsFirst) setInventory([device('a')])
    runs[0]?.resolve(answer(undefined))
    await pass(100)
    setInventory([device('a')])
    await pass(100)
    expect(shown()).toBe('a=it was not probed yet')
    await untilRuns(2)
    runs[1]?.resolve(answer(undefined))
    await pass(100)
    expect(shown()).toBe('a=Healthy')
  },
)

test('runs at most 32 probes at the same time', async () => {
  let running = 0
  let most = 0
  const probe = probeOf((_device, signal) => {
    most = Math.max(most, ++running)
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        running--
        resolve(answer('late'))
      })
    })
  })
  const { pass } = await setUp(
    [probe],
    Array.from({ length: 100 }, (_, i) => device(`d${i}`)),
  )
  for (let round = 0; round < 6; round++) await pass(500)
  expect(most).toBe(32)
})

test('the list shows within a second that the path of a device disappeared, without waiting for the interval', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'probe-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const path = join(dir, 'lock')
  await writeFile(path, '')
  const probes = createProbes([probeConfig.parse({ type: 'exists', path, intervalSeconds: 3600 })])
  const { clock, shown, pass } = await setUp(probes, [device('seat-0')])
  const untilShown = async (wanted: string): Promise<number> => {
    const startMs = clock.monotonic()
    await vi.waitFor(
      async () => {
        await pass(10)
        expect(shown()).toBe(wanted)
      },
      { timeout: 30_000, interval: 2 },
    )
    return clock.monotonic() - startMs
  }
  await untilShown('seat-0=Healthy')
  await rm(path)
  expect(await untilShown(`seat-0=${path} is missing`)).toBeLessThan(1_000)
  await writeFile(path, '')
  expect(await untilShown('seat-0=Healthy')).toBeLessThan(1_000)
})

test('a run that does not end is not started again until it ends, and the device recovers then', async () => {
  const ends: (() => void)[] = []
  const run: Probe['run'] = () => new Promise((resolve) => void ends.push(() => resolve({ health: 'Healthy' })))
  const { pass, shown } = await setUp([probeOf(run)], [device('a')])
  for (const ms of [0, 50, 500, 100]) await pass(ms)
  expect(shown()).toBe('a=probe failed: no answer within 0.5 s')
  for (let round = 0; round < 5; round++) await pass(1_000)
  await pass(100)
  expect(ends).toHaveLength(1)
  expect(shown()).toBe('a=an earlier run has not ended')
  ends[0]?.()
  await pass(1_000)
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await pass(100)
  expect(shown()).toBe('a=Healthy')
})
