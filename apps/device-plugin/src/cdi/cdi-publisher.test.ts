import { createTestClock } from '@berth/clock/testing'
import type { DeviceSource } from '@berth/plugin-api'
import { silentLogger, type Allocation, type Device } from '@berth/types'
import { expect, test } from 'vitest'
import { createDeviceTable } from '../devices/device-table.ts'
import type { CdiDevice } from './cdi-devices.ts'
import { createCdiPublisher } from './cdi-publisher.ts'

const device = (id: string, path = `/dev/none-${id}`): Device => ({ id, health: 'Healthy', paths: [path] })

function setUp(
  allocate: DeviceSource['allocate'] = (_ids, [first]) => nodeOf(first?.paths?.[0] ?? ''),
  resolve: (hostPath: string) => Promise<string> = async (path) => path,
) {
  const clock = createTestClock()
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log: silentLogger })
  const files: (readonly CdiDevice[])[] = []
  const state = { failure: undefined as Error | undefined, described: 0 }
  const put = async (_class: string, devices: readonly CdiDevice[]): Promise<void> => {
    if (state.failure !== undefined) throw state.failure
    files.push(devices)
  }
  const source: DeviceSource = {
    async *discover() {},
    allocate(ids, devices) {
      state.described++
      return allocate(
        ids,
        devices.filter(({ id }) => ids.includes(id)),
      )
    },
  }
  const random = () => 0.5
  const publisher = createCdiPublisher({
    resourceName: 'e.x/d',
    table,
    put,
    resolve,
    clock,
    random,
    log: silentLogger,
  })
  publisher.describeWith(source)
  return { clock, table, files, state, source, publisher }
}

const nodeOf = (hostPath: string): Allocation => ({
  deviceNodes: [{ hostPath, containerPath: '/dev/d', permissions: 'rw' }],
})
const hostPaths = (devices: readonly CdiDevice[] | undefined) =>
  devices?.map(({ containerEdits }) => containerEdits.deviceNodes?.[0]?.hostPath)

test('describes only the devices that changed, and writes only a file that changed', async () => {
  const { table, files, state, clock } = setUp()
  const [a, b] = [device('a'), device('b')]
  table.update([a, b])
  await clock.run(0)
  expect([files.length, state.described]).toEqual([1, 2])
  table.update([a, { ...b, numaNodes: [1] }])
  await clock.run(0)
  expect([files.length, state.described]).toEqual([1, 3])
  table.update([a, device('b', '/dev/none-c')])
  await clock.run(0)
  expect([hostPaths(files[1]), state.described]).toEqual([['/dev/none-a', '/dev/none-c'], 4])
})

test('writes the file again every minute, because it may have been deleted', async () => {
  const { table, files, clock, publisher } = setUp()
  table.update([device('a')])
  await clock.run(0)
  await clock.run(60_000)
  expect(files.length).toBe(2)
  publisher[Symbol.dispose]()
  await clock.run(120_000)
  expect(files.length).toBe(2)
})

test('retries a write that failed, and says that the file is not up to date', async () => {
  const { table, files, state, clock, publisher } = setUp()
  state.failure = new Error('no helper')
  table.update([device('a')])
  await clock.run(0)
  expect(publisher.problem()).toBe('the CDI file is not up to date: no helper')
  state.failure = undefined
  await clock.run(1_000)
  expect([files.length, publisher.problem()]).toEqual([1, undefined])
})

test('keeps what a device had when its source cannot describe it any more', async () => {
  const { table, files, clock } = setUp((_ids, [first]) => {
    if (first?.health !== 'Healthy') throw new Error('it is gone')
    return nodeOf('/dev/none-a')
  })
  table.update([device('a')])
  await clock.run(0)
  table.update([{ ...device('a'), health: 'Unhealthy' }, device('b')])
  await clock.run(0)
  expect(hostPaths(files.at(-1))).toEqual(['/dev/none-a', '/dev/none-a'])
})

test('an allocation waits for the file, and fails with it', async () => {
  const { table, files, state, source, publisher } = setUp()
  table.update([device('a')])
  const handing = publisher.handOver(source)
  const allocation = await handing.allocate(['a'], table.list() ?? [])
  expect([allocation.cdiDevices, files.length]).toEqual([['berth.dev/e-x-d-a9225b3b=a'], 1])
  state.failure = new Error('no helper')
  table.update([device('a', '/dev/none-b')])
  await expect(handing.allocate(['a'], table.list() ?? [])).rejects.toThrow('no helper')
})

test('an allocation describes a device again that could not be described, and never hands over nothing in its place', async () => {
  const problem = { error: new Error('the driver is not ready') as Error | undefined }
  const { table, files, clock, source, publisher } = setUp(() => {
    if (problem.error !== undefined) throw problem.error
    return nodeOf('/dev/none-a')
  })
  table.update([device('a')])
  await clock.run(0)
  expect(files.at(-1)).toEqual([])
  const working = publisher.handOver({ ...source, allocate: () => nodeOf('/dev/none-a') })
  await expect(working.allocate(['a'], table.list() ?? [])).rejects.toThrow('a cannot be described: the driver is not')
  problem.error = undefined
  const { cdiDevices } = await working.allocate(['a'], table.list() ?? [])
  expect([cdiDevices, hostPaths(files.at(-1))]).toEqual([['berth.dev/e-x-d-a9225b3b=a'], ['/dev/none-a']])
})

test('an allocation after a change of the configuration waits for a file of the new source', async () => {
  const { table, files, clock, source, state, publisher } = setUp()
  table.update([device('a')])
  await clock.run(0)
  const next: DeviceSource = { ...source, allocate: () => nodeOf('/dev/none-new') }
  publisher.describeWith(next)
  state.failure = new Error('no helper')
  const handing = publisher.handOver(next)
  await expect(handing.allocate(['a'], table.list() ?? [])).rejects.toThrow('no helper')
  state.failure = undefined
  await handing.allocate(['a'], table.list() ?? [])
  expect(hostPaths(files.at(-1))).toEqual(['/dev/none-new'])
})

test('a path that does not answer keeps what the device had, and the other devices get their entries', async () => {
  const state = { isDead: false }
  const resolve = (path: string) =>
    state.isDead && path.endsWith('a') ? new Promise<string>(() => {}) : Promise.resolve(path)
  const { clock, table, files } = setUp(undefined, resolve)
  table.update([device('a'), device('b')])
  await clock.run(0)
  state.isDead = true
  table.update([device('a', '/dev/moved-a'), device('b', '/dev/moved-b')])
  await clock.run(10_000)
  expect(hostPaths(files.at(-1))).toEqual(['/dev/none-a', '/dev/moved-b'])
})
