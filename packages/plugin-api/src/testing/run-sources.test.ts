import type { Allocation, Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineDeviceSource } from '../contract/device-source.ts'
import type { DeviceSource } from '../contract/device-source.ts'
import { defineResourceSource } from '../contract/resource-source.ts'
import type { ResourceSource } from '../contract/resource-source.ts'
import { runDeviceSource } from './run-device-source.ts'
import { runResourceSource } from './run-resource-source.ts'

const base = { name: 'subject', description: 'D.', argsSchema: z.strictObject({}) }
const deviceSource = (source: () => Partial<DeviceSource>) =>
  defineDeviceSource({
    apiVersion: 'berth.dev/v1',
    ...base,
    create: () => ({
      discover: (signal) => yields([{ id: 'a', health: 'Healthy' }], signal),
      allocate: () => ({}),
      ...source(),
    }),
  })
const resourceSource = (compute: ResourceSource['compute']) =>
  defineResourceSource({ apiVersion: 'berth.dev/v1', ...base, create: () => ({ compute }) })

async function* yields(devices: readonly Device[], signal: AbortSignal) {
  yield devices
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
}
const found = (...devices: readonly Partial<Device>[]) => ({
  discover: (signal: AbortSignal) =>
    yields(
      devices.map((device) => ({ id: 'a', health: 'Healthy', ...device })),
      signal,
    ),
})
const given = (allocation: Allocation) => ({ allocate: () => allocation })

describe('runDeviceSource', () => {
  test('accepts a source that follows its contract, and returns its inventory', async () => {
    const good = deviceSource(() => ({
      ...found({ id: 'a', paths: ['/dev/a'], numaNodes: [0] }, { id: 'b' }),
      probe: async () => ({ health: 'Healthy' }),
      allocate: (ids) => ({
        env: { DONGLES: ids.join() },
        deviceNodes: [{ hostPath: '/dev/a', containerPath: '/dev/a', permissions: 'rw' }],
        cdiDevices: ['example.com/dongle=a'],
      }),
      preStart: async () => {},
    }))
    expect((await runDeviceSource(good)).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  let count = 0
  test.for([
    {
      it: 'finds nothing in time',
      source: () => ({ discover: () => yields([], new AbortController().signal) }),
      says: 'did not end after its signal',
    },
    {
      it: 'cannot prepare its devices',
      source: () => ({ preStart: async () => Promise.reject(new Error('no bus')) }),
      says: 'no bus',
    },
    { it: 'never yields', source: () => ({ discover: () => never() }), says: 'discover yielded no inventory' },
    { it: 'ends at once', source: () => ({ discover: () => nothing() }), says: 'ended without an inventory' },
    { it: 'has an id twice', source: () => found({}, {}), says: 'occurs twice' },
    { it: 'has a long id', source: () => found({ id: 'x'.repeat(64) }), says: '1 to 63' },
    {
      it: 'has another health',
      source: () => found({ health: 'Fine' as 'Healthy' }),
      says: '"Fine" as the health of device a',
    },
    { it: 'has a relative path', source: () => found({ paths: ['dev/a'] }), says: '"dev/a" as a path' },
    { it: 'has half a NUMA node', source: () => found({ numaNodes: [0.5] }), says: 'NUMA' },
    { it: 'has new ids each time', source: () => found({ id: `id-${count++}` }), says: 'other ids' },
    {
      it: 'allocates differently for the same devices',
      source: () => ({ allocate: () => ({ env: { N: String(count++) } }) }),
      says: 'different results',
    },
    {
      it: 'fails to allocate',
      source: () => ({ allocate: () => Promise.reject(new Error('gone')) }),
      says: 'allocate(a) failed: gone',
    },
    {
      it: 'sets a bad variable',
      source: () => given({ env: { 'A B': 'x' } }),
      says: '"A B" as the name of a variable',
    },
    {
      it: 'mounts a relative path',
      source: () => given({ mounts: [{ hostPath: 'x', containerPath: '/x', readOnly: true }] }),
      says: '"x" as a path in mounts',
    },
    {
      it: 'returns invalid permissions',
      source: () => given({ deviceNodes: [{ hostPath: '/x', containerPath: '/x', permissions: 'rx' }] }),
      says: '"rx" as the permissions',
    },
    { it: 'gives an odd CDI name', source: () => given({ cdiDevices: ['dongle'] }), says: '"dongle" in cdiDevices' },
    {
      it: 'returns an invalid probe result',
      source: () => ({ probe: async () => ({ health: 'ok' as 'Healthy' }) }),
      says: 'probe returned "ok"',
    },
  ] as readonly { it: string; source: () => Partial<DeviceSource>; says: string }[])(
    'catches one that $it',
    async ({ source, says }) => {
      await expect(runDeviceSource(deviceSource(source), { deadlineMs: 20 })).rejects.toMatchObject({
        code: 'BERTH_PLUGIN_CONTRACT',
        message: expect.stringContaining(says),
      })
    },
  )

  async function* nothing(): AsyncGenerator<readonly Device[]> {}
  async function* never(): AsyncGenerator<readonly Device[]> {
    yield await new Promise<readonly Device[]>(() => {})
  }
})

describe('runResourceSource', () => {
  const now = () => Date.now()

  test('accepts a source that follows its contract', async () => {
    const good = resourceSource(async (node) => ({ units: node.metadata.name?.length ?? 0, observedAtMs: now() }))
    expect(await runResourceSource(good)).toMatchObject([{ units: 6 }])
    const half = resourceSource(async () => ({ units: 0.5, observedAtMs: now() }))
    expect(await runResourceSource(half)).toMatchObject([{ units: 0.5 }])
  })

  test.for([
    { it: 'divides by zero', compute: async () => ({ units: Infinity, observedAtMs: now() }), says: 'not finite' },
    { it: 'goes below zero', compute: async () => ({ units: -1n, observedAtMs: now() }), says: 'which is negative' },
    {
      it: 'exceeds 63 bits',
      compute: async () => ({ units: 2n ** 63n, observedAtMs: now() }),
      says: 'more than the API server',
    },
    {
      it: 'returns no valid time',
      compute: async () => ({ units: 1, observedAtMs: Number.NaN }),
      says: 'NaN as the time',
    },
    {
      it: 'observes in the future',
      compute: async () => ({ units: 1, observedAtMs: now() + 60_000 }),
      says: 'in the future',
    },
    {
      it: 'fails',
      compute: async () => Promise.reject(new Error('down')),
      says: 'compute failed for node node-a: down',
    },
    {
      it: 'changes the node',
      compute: async (node) => (((node.metadata as { name: string }).name = 'x'), { units: 1, observedAtMs: now() }),
      says: 'read only',
    },
    {
      it: 'ignores the signal',
      compute: (_node, signal) =>
        signal.aborted ? new Promise(() => {}) : Promise.resolve({ units: 1, observedAtMs: now() }),
      says: 'did not end after its signal was aborted',
    },
  ] as readonly { it: string; compute: ResourceSource['compute']; says: string }[])(
    'catches one that $it',
    async ({ compute, says }) => {
      await expect(runResourceSource(resourceSource(compute), { deadlineMs: 20 })).rejects.toMatchObject({
        code: 'BERTH_PLUGIN_CONTRACT',
        message: expect.stringContaining(says),
      })
    },
  )
})
