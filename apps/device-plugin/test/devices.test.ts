import { systemClock } from '@berth/clock'
import { createPluginRegistry } from '@berth/plugin-api'
import { credentials, status } from '@grpc/grpc-js'
import { DevicePluginClient, PodResourcesListerClient, WatcherRegistrationClient } from '@berth/kubelet-api'
import { silentLogger, type Device } from '@berth/types'
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countSource } from '../src/sources/count/count.ts'
import { nodeCalls } from '../src/sources/path-glob/inspect-path.ts'
import { createPathGlobSource, pathGlobSource } from '../src/sources/path-glob/path-glob.ts'
import { startTestNode, waitUntil, type TestNode } from './test-node.ts'

const env = { log: silentLogger, clock: systemClock(), random: Math.random, resourceName: 'example.com/seat' }
const sources = createPluginRegistry([countSource, pathGlobSource].map((plugin) => ({ plugin, origin: 'here' })))
const globSource = (paths: string[], more: object = {}) =>
  sources.createDeviceSource('path-glob', { paths, rescanSeconds: 30, ...more }, env)

async function socketOf(testNode: TestNode): Promise<string> {
  const dir = testNode.socketDir('watcher')
  const name = (await readdir(dir)).find((each) => each.startsWith('berth-')) ?? ''
  return `unix://${join(dir, name)}`
}

test('counts devices that are plugged in and out without waiting for the rescan', async () => {
  await using testNode = await startTestNode()
  const dev = join(testNode.dir, 'dev')
  await mkdir(dev)
  testNode.startPlugin('watcher', { source: globSource([`${dev}/dongle*`]) })
  await testNode.waitForCounts('0/0')
  await writeFile(join(dev, 'dongle0'), '')
  await writeFile(join(dev, 'dongle1'), '')
  await writeFile(join(dev, 'other'), '')
  await testNode.waitForCounts('2/2')
  await rm(join(dev, 'dongle0'))
  await testNode.waitForCounts('1/1')
  expect((await testNode.runPod('p', 1)).status?.phase).toBe('Running')
})

test('is not ready while a directory cannot be read, still serves the other paths, and recovers', async () => {
  await using testNode = await startTestNode()
  const dev = join(testNode.dir, 'dev')
  await mkdir(dev)
  await writeFile(join(dev, 'dongle0'), '')
  await symlink('locked', join(dev, 'locked'))
  const plugin = testNode.startPlugin('watcher', { source: globSource([`${dev}/dongle*`, `${dev}/locked/dongle*`]) })
  await testNode.waitForCounts('1/1')
  expect(plugin.problem()).toBe(`discovery failed: ${dev}/locked cannot be read (ELOOP)`)
  await rm(join(dev, 'locked'))
  await mkdir(join(dev, 'locked'))
  await writeFile(join(dev, 'locked/dongle1'), '')
  await testNode.waitForCounts('2/2')
  expect(plugin.problem()).toBeUndefined()
})

test('keeps a device that disappeared in capacity as unhealthy for keepMissingSeconds', async () => {
  await using testNode = await startTestNode()
  const dev = join(testNode.dir, 'dev')
  await mkdir(dev)
  await writeFile(join(dev, 'dongle0'), '')
  const keepMissingMs = 4_000
  testNode.startPlugin('watcher', { source: globSource([`${dev}/*`]), keepMissingMs })
  await testNode.waitForCounts('1/1')
  const before = performance.now()
  await rm(join(dev, 'dongle0'))
  // keepMissingMs is long enough to observe this state on a busy machine.
  await testNode.waitForCounts('1/0')
  await testNode.waitForCounts('0/0')
  expect(performance.now() - before).toBeGreaterThanOrEqual(keepMissingMs - 1)
})

test('follows a health file in allocatable and in the pod status, and recovers', async () => {
  await using testNode = await startTestNode()
  const healthFile = join(testNode.dir, 'health')
  await writeFile(healthFile, 'Healthy\n')
  const args = { count: 2, healthFile, rescanSeconds: 30 }
  testNode.startPlugin('watcher', { source: sources.createDeviceSource('count', args, env) })
  await testNode.waitForCounts('2/2')
  await testNode.runPod('p', 1)
  await writeFile(healthFile, 'Unhealthy: licence server is down\n')
  await testNode.waitForCounts('2/0')
  const unhealthy = await waitUntil('the pod shows it', async () => {
    const shown = (await testNode.pod('p')).status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]
      ?.resources?.[0]
    return shown?.health === 'Unhealthy' ? shown : undefined
  })
  expect(unhealthy.resourceID).toMatch(/^seat-/u)
  await writeFile(healthFile, 'Healthy')
  await testNode.waitForCounts('2/2')
})

test('gives a container the link target under the name of the link, and the id appears in the pod resources', async () => {
  await using testNode = await startTestNode()
  const dev = join(testNode.dir, 'dev')
  await mkdir(join(dev, 'by-id'), { recursive: true })
  await writeFile(join(dev, 'tty7'), '')
  await symlink('../tty7', join(dev, 'by-id/usb-A'))
  testNode.startPlugin('watcher', {
    source: globSource([`${dev}/by-id/*`], { containerPath: '/dev/dongles/{name}', followOutside: true }),
  })
  await testNode.waitForCounts('1/1')
  const pod = await testNode.runPod('p', 1)
  const options = testNode.kubelet.runOptions(pod, 'main')
  expect(options.mounts).toEqual([{ hostPath: join(dev, 'tty7'), containerPath: '/dev/dongles/usb-A', readOnly: true }])
  expect(options.env.get('BERTH_PATHS_EXAMPLE_COM_DONGLE')).toBe('/dev/dongles/usb-A')

  const client = new PodResourcesListerClient(
    `unix://${join(testNode.dir, 'pod-resources/kubelet.sock')}`,
    credentials.createInsecure(),
  )
  try {
    const { podResources } = await new Promise<Awaited<ReturnType<typeof ask>>>((resolve, reject) => {
      client.list({}, (error, answer) => (error === null ? resolve(answer) : reject(error)))
    })
    const id = options.env.get('BERTH_DEVICES_EXAMPLE_COM_DONGLE')
    expect(podResources).toMatchObject([{ name: 'p', containers: [{ devices: [{ deviceIds: [id] }] }] }])
    const allocatable = await new Promise<{ devices: { deviceIds: string[] }[] }>((resolve, reject) => {
      client.getAllocatableResources({}, (error, answer) => (error === null ? resolve(answer) : reject(error)))
    })
    expect(allocatable.devices).toMatchObject([{ deviceIds: [id] }])
    const one = await new Promise<{ podResources?: { name: string } | undefined }>((resolve, reject) => {
      client.get({ podName: 'p', podNamespace: 'default' }, (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      )
    })
    expect(one.podResources?.name).toBe('p')
    const none = new Promise((resolve, reject) => {
      client.get({ podName: 'x', podNamespace: 'default' }, (error) => (error === null ? resolve('') : reject(error)))
    })
    await expect(none).rejects.toMatchObject({ details: 'pod x in namespace default not found' })
  } finally {
    client.close()
  }
})

test('leads a restarted container to the same device after the kernel gave the device another number', async () => {
  await using testNode = await startTestNode()
  const dev = join(testNode.dir, 'dev')
  await mkdir(join(dev, 'by-id'), { recursive: true })
  await writeFile(join(dev, 'ttyUSB0'), 'dongle A')
  await symlink('../ttyUSB0', join(dev, 'by-id/usb-A'))
  const asRoot = async (path: string) => {
    const stats = await lstat(path)
    return { uid: 0, mode: 0o755, isSymbolicLink: () => stats.isSymbolicLink() }
  }
  const plugin = createPathGlobSource({ ...nodeCalls, lstat: asRoot })
  const args = { paths: [`${dev}/by-id/*`], followOutside: true, rescanSeconds: 30 }
  const source = createPluginRegistry([{ plugin, origin: 'here' }]).createDeviceSource('path-glob', args, env)
  testNode.startPlugin('watcher', { source })
  await testNode.waitForCounts('1/1')
  const pod = await testNode.runPod('p', 1)
  const { mounts } = testNode.kubelet.runOptions(pod, 'main')
  // The runtime resolves the path whenever it creates the container.
  const deviceInContainer = () => readFile(mounts[0]?.hostPath ?? '', 'utf8')
  expect(await deviceInContainer()).toBe('dongle A')

  await rm(join(dev, 'by-id/usb-A'))
  await rename(join(dev, 'ttyUSB0'), join(dev, 'ttyUSB1'))
  await writeFile(join(dev, 'ttyUSB0'), 'dongle B')
  await symlink('../ttyUSB1', join(dev, 'by-id/usb-A'))
  expect(testNode.kubelet.runOptions(await testNode.pod('p'), 'main').mounts).toEqual(mounts)
  expect(await deviceInContainer()).toBe('dongle A')
  await testNode.waitForCounts('1/1')
})

declare function ask(): Promise<{ podResources: { name: string }[] }>

test('answers the plugin watcher, and refuses unavailable devices with clear messages', async () => {
  await using testNode = await startTestNode()
  const devices: Device[] = [
    { id: 'good', health: 'Healthy', numaNodes: [1] },
    { id: 'bad', health: 'Unhealthy', reason: 'it is on fire' },
  ]
  const source = {
    async *discover(signal: AbortSignal): AsyncIterable<readonly Device[]> {
      yield devices
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    allocate: () => Promise.reject(new Error('the source is confused')),
  }
  testNode.startPlugin('watcher', { source })
  await testNode.waitForCounts('2/1')
  const address = await socketOf(testNode)
  const watcher = new WatcherRegistrationClient(address, credentials.createInsecure())
  const client = new DevicePluginClient(address, credentials.createInsecure())
  const allocate = (...devicesIds: string[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      client.allocate({ containerRequests: [{ devicesIds }] }, (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      )
    })
  try {
    const info = await new Promise((resolve, reject) => {
      watcher.getInfo({}, (error, answer) => (error === null ? resolve(answer) : reject(error)))
    })
    expect(info).toEqual({
      type: 'DevicePlugin',
      name: 'example.com/dongle',
      endpoint: '',
      supportedVersions: ['v1beta1'],
    })
    await expect(allocate('ghost')).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: 'allocate example.com/dongle ghost: the device does not exist',
    })
    await expect(allocate('bad')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'allocate example.com/dongle bad: the device is unhealthy: it is on fire',
    })
    await expect(allocate('good')).rejects.toMatchObject({
      code: status.INTERNAL,
      details: 'allocate example.com/dongle good: the source is confused',
    })
  } finally {
    client.close()
    watcher.close()
  }
  expect((await testNode.runPod('p', 1)).status).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' })
})

test('restarts a source that fails, and a failed probe makes a device unhealthy', async () => {
  await using testNode = await startTestNode()
  let starts = 0
  let isWell = true
  const source = {
    async *discover(signal: AbortSignal): AsyncIterable<readonly Device[]> {
      if (++starts === 1) throw new Error('the bus is not there yet')
      yield [{ id: 'a', health: 'Healthy' as const }]
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    probe: async () => (isWell ? { health: 'Healthy' as const } : Promise.reject(new Error('no pulse'))),
    allocate: () => ({}),
  }
  testNode.startPlugin('watcher', { source })
  await testNode.waitForCounts('1/1')
  expect(starts).toBe(2)
  isWell = false
  await testNode.waitForCounts('1/0')
  isWell = true
  await testNode.waitForCounts('1/1')
})

describe('gauges of a resource', () => {
  test('say that the kubelet has no stream before it has had one', async () => {
    await using testNode = await startTestNode()
    const kubeletSocket = join(testNode.dir, 'no-kubelet.sock')
    const plugin = testNode.startPlugin('classic', { kubeletSocket })
    expect(await plugin.metrics()).toContain('berth_device_plugin_streams{resource_name="example.com/dongle"} 0\n')
  })

  test('end with the resource, so that nothing about it stays wrong', async () => {
    await using testNode = await startTestNode()
    const healthFile = join(testNode.dir, 'health')
    await writeFile(healthFile, 'Unhealthy: licence server is down')
    const args = { count: 2, healthFile, rescanSeconds: 30 }
    const plugin = testNode.startPlugin('watcher', { source: sources.createDeviceSource('count', args, env) })
    await testNode.waitForCounts('2/0')
    expect(await plugin.metrics()).toContain('cause="source"} 2\n')
    await plugin[Symbol.asyncDispose]()
    const left = (await plugin.metrics()).split('\n').filter((line) => line.startsWith('berth_'))
    expect(left.filter((line) => /_(?:streams|unhealthy_devices|discovery_failing)\{/.test(line))).toEqual([])
  })
})
