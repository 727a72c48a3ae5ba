import { expect, test, vi } from 'vitest'
import { runDeviceSeed } from './faults/run-device-seed.ts'

const planted = vi.hoisted(() => ({ bug: '', tables: 0 }))

vi.mock(import('../src/registration/keep-registered.ts'), async (original) => {
  const actual = await original()
  return {
    keepRegistered(options, state, signal) {
      let servers = 0
      const startServer: typeof options.startServer = (events) => {
        if (planted.bug === 'registers once' && ++servers > 1) return new Promise(() => {})
        if (planted.bug !== 'ignores the end of a stream') return options.startServer(events)
        const onStreamsChanged = (open: number): void => {
          if (open > 0) events.onStreamsChanged(open)
        }
        return options.startServer({ ...events, onStreamsChanged })
      }
      return actual.keepRegistered({ ...options, startServer }, state, signal)
    },
  }
})
vi.mock(import('../src/plugin-server/stream-device-lists.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    streamDeviceLists: (options) => {
      const deaf = { ...options.table, subscribe: () => () => {} }
      return actual.streamDeviceLists(planted.bug === 'sends one list' ? { ...options, table: deaf } : options)
    },
  }
})
vi.mock(import('../src/plugin-server/allocate.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    async allocate(resourceName, ids, options) {
      const { table } = options
      const healthy: typeof table.get = (id) => {
        const device = table.get(id)
        return device === undefined ? undefined : { ...device, health: 'Healthy' }
      }
      const known = ids.filter((id) => table.get(id) !== undefined)
      const response = await actual.allocate(
        resourceName,
        planted.bug === 'skips unknown ids' ? known : ids,
        planted.bug === 'gives unhealthy devices' ? { ...options, table: { ...table, get: healthy } } : options,
      )
      return planted.bug === 'answers in the order of the ids'
        ? { ...response, envs: { ...response.envs, IDS: ids.join(',') } }
        : response
    },
  }
})
vi.mock(import('../src/devices/device-table.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    createDeviceTable(options) {
      const table = actual.createDeviceTable(options)
      const suffix = `~${planted.tables++}`
      const rename: typeof table.update = (devices) =>
        table.update(devices.map((device) => ({ ...device, id: `${device.id}${suffix}` })))
      if (planted.bug === 'renames ids at a start') return { ...table, update: rename }
      return planted.bug === 'forgets failed allocations' ? { ...table, failAllocation: () => {} } : table
    },
  }
})
vi.mock(import('@berth/clock'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    backoffMs: (...args) => (planted.bug === 'waits a minute' ? 60_000 : actual.backoffMs(...args)),
  }
})

test.for([
  { bug: 'registers once', problem: /F1[135].* the node shows/ },
  { bug: 'waits a minute', problem: /F1[135].* the node shows/ },
  { bug: 'ignores the end of a stream', problem: /while the stream is broken: after 5000 ms/ },
  { bug: 'sends one list', problem: /F13 a device/ },
  { bug: 'gives unhealthy devices', problem: /F14 an unhealthy device/ },
  { bug: 'skips unknown ids', problem: /F14 an unknown id/ },
  { bug: 'answers in the order of the ids', problem: /F14 a repeated call/ },
  { bug: 'forgets failed allocations', problem: /pods failed in a loop/ },
  { bug: 'renames ids at a start', problem: /I1: pod-\d+ and pod-\d+ hold/ },
])('the seeded faults catch a plugin that $bug', async ({ bug, problem }) => {
  planted.bug = bug
  const found: string[] = []
  for (let seed = 1; seed <= 100 && !found.some((text) => problem.test(text)); seed++) {
    found.push(...(await runDeviceSeed(seed, new Map())))
  }
  planted.bug = ''
  expect(found.join('\n')).toMatch(problem)
})
