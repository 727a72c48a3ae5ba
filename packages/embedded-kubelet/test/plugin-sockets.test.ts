import {
  DevicePluginService,
  RegistrationClient,
  WatcherRegistrationService,
  type Device,
  type PluginInfo,
} from '@berth/kubelet-api'
import { credentials, Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js'
import type { Clock, Node } from '@berth/types'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createKubelet } from '../src/index.ts'
import { miniApi } from '../src/testing/mini-api.ts'

const NAME = 'example.com/dongle'
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, task) {
    const timer = globalThis.setTimeout(task, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

async function setUp() {
  const dir = await mkdtemp(join(tmpdir(), 'ks-'))
  const api = miniApi()
  const pluginDirs = {
    devicePlugins: join(dir, 'device-plugins'),
    pluginsRegistry: join(dir, 'plugins_registry'),
    podResources: join(dir, 'pod-resources'),
  }
  const kubelet = createKubelet({
    handler: api.handler,
    nodeName: 'n1',
    clock,
    random: Math.random,
    pluginDirs,
    statusSyncMs: 50,
  })
  onTestFinished(async () => {
    await kubelet.stop()
    await rm(dir, { recursive: true, force: true })
  })
  await kubelet.start()
  const counts = (): string => {
    const { status } = api.object('/api/v1/nodes/n1') as Node
    return `${status?.capacity?.[NAME] ?? '-'}/${status?.allocatable?.[NAME] ?? '-'}`
  }
  return { dir, api, kubelet, pluginDirs, counts }
}

/** A device plugin that the test controls. */
async function plugin(path: string, info: Partial<PluginInfo> = {}, refusals = 0) {
  const statuses: string[] = []
  const calls: string[] = []
  const streams = new Set<ServerWritableStream<unknown, { devices: Device[] }>>()
  const server = new Server()
  let left = refusals
  server.addService(DevicePluginService, {
    getDevicePluginOptions(_: unknown, callback: (error: object | null, value?: object) => void) {
      calls.push('options')
      if (left-- > 0) callback({ code: 14, details: 'not yet' })
      else callback(null, { preStartRequired: true, getPreferredAllocationAvailable: true })
    },
    listAndWatch(stream: ServerWritableStream<unknown, { devices: Device[] }>) {
      streams.add(stream)
      stream.write({ devices: [{ ID: 'a', health: 'Healthy', topology: { nodes: [{ ID: 0 }, { ID: 1 }] } }] })
    },
    getPreferredAllocation(_: unknown, callback: (error: null, value: object) => void) {
      calls.push('preferred')
      callback(null, { containerResponses: [{ deviceIDs: ['a'] }] })
    },
    allocate(_: unknown, callback: (error: null, value: object) => void) {
      calls.push('allocate')
      callback(null, {
        containerResponses: [{ envs: { E: '1' }, mounts: [], devices: [], annotations: {}, cdiDevices: [] }],
      })
    },
    preStartContainer(_: unknown, callback: (error: null, value: object) => void) {
      calls.push('preStart')
      callback(null, {})
    },
  })
  server.addService(WatcherRegistrationService, {
    getInfo(_: unknown, callback: (error: null, value: PluginInfo) => void) {
      callback(null, { type: 'DevicePlugin', name: NAME, endpoint: '', supportedVersions: ['v1beta1'], ...info })
    },
    notifyRegistrationStatus(
      call: { request: { pluginRegistered: boolean; error: string } },
      callback: (error: null, value: object) => void,
    ) {
      statuses.push(call.request.pluginRegistered ? 'registered' : call.request.error)
      callback(null, {})
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    )
  })
  onTestFinished(() => server.forceShutdown())
  return {
    calls,
    statuses,
    endStreams() {
      for (const stream of streams) stream.end()
    },
    stop: () => server.forceShutdown(),
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 3_000; turn++) {
    if (isSo()) return
    await setTimeout(20)
  }
  throw new Error(`never: ${what}`)
}

test.for([
  { it: 'another API version', request: { version: 'v1' }, says: 'requested API version "v1" is not supported' },
  { it: 'a native resource', request: { resourceName: 'cpu' }, says: 'the ResourceName "cpu" is invalid' },
])('Register refuses $it', async ({ request, says }) => {
  const { pluginDirs } = await setUp()
  const client = new RegistrationClient(`unix://${pluginDirs.devicePlugins}/kubelet.sock`, credentials.createInsecure())
  onTestFinished(() => client.close())
  const call = new Promise((resolve, reject) => {
    const full = { version: 'v1beta1', endpoint: 'x.sock', resourceName: NAME, options: undefined, ...request }
    client.register(full, (error) => (error === null ? resolve('') : reject(error)))
  })
  await expect(call).rejects.toMatchObject({ details: expect.stringContaining(says) })
})

test('connects to the plugin before it answers Register, and allocates devices through it', async () => {
  const { api, counts, kubelet, pluginDirs } = await setUp()
  const { calls } = await plugin(join(pluginDirs.devicePlugins, 'x.sock'))
  const client = new RegistrationClient(`unix://${pluginDirs.devicePlugins}/kubelet.sock`, credentials.createInsecure())
  onTestFinished(() => client.close())
  await new Promise((resolve, reject) => {
    const request = { version: 'v1beta1', endpoint: 'x.sock', resourceName: NAME, options: undefined }
    client.register(request, (error) => (error === null ? resolve('') : reject(error)))
  })
  expect(calls).toEqual(['options'])
  await until('1/1', () => counts() === '1/1')
  const pod = {
    metadata: { name: 'p', namespace: 'default', uid: 'u1' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', resources: { limits: { [NAME]: 1 } } }] },
  }
  api.put('/api/v1/namespaces/default/pods', pod)
  await until('the pod started', () => calls.includes('preStart'))
  expect(calls).toEqual(['options', 'preferred', 'allocate', 'preStart'])
  expect(kubelet.runOptions(pod, 'c').env.get('E')).toBe('1')
})

test('the plugin watcher registers sockets in subdirectories, notifies them, and deregisters those that disappear', async () => {
  const { counts, pluginDirs } = await setUp()
  await mkdir(join(pluginDirs.pluginsRegistry, 'sub'))
  const one = await plugin(join(pluginDirs.pluginsRegistry, 'sub/x.sock'))
  await until('1/1', () => counts() === '1/1')
  await until('told', () => one.statuses.length > 0)
  expect(one.statuses).toEqual(['registered'])
  await rm(join(pluginDirs.pluginsRegistry, 'sub/x.sock'))
  await until('1/0', () => counts() === '1/0')
})

test('does not reopen a stream that ended until the socket is recreated', async () => {
  const { counts, pluginDirs } = await setUp()
  const one = await plugin(join(pluginDirs.pluginsRegistry, 'x.sock'))
  await until('1/1', () => counts() === '1/1')
  one.endStreams()
  await until('1/0', () => counts() === '1/0')
  await setTimeout(1500)
  expect(counts()).toBe('1/0')
  one.stop()
  await plugin(join(pluginDirs.pluginsRegistry, 'x2.sock'))
  await until('1/1', () => counts() === '1/1')
})

test.for([
  { it: 'another type', info: { type: 'CSIPlugin' }, says: 'no handler registered for plugin type: CSIPlugin' },
  { it: 'other versions', info: { supportedVersions: ['v9'] }, says: 'requested API version "v9" is not supported' },
  { it: 'an illegal name', info: { name: 'dongle' }, says: 'the ResourceName "dongle" is invalid' },
])('the plugin watcher tells a plugin of $it why it is refused', async ({ info, says }) => {
  const { counts, pluginDirs } = await setUp()
  const { statuses } = await plugin(join(pluginDirs.pluginsRegistry, 'x.sock'), info)
  await until('told', () => statuses.length > 0)
  expect(statuses[0]).toContain(says)
  expect(counts()).toBe('-/-')
})

test('the plugin watcher retries a failed registration', async () => {
  const { counts, pluginDirs } = await setUp()
  const { statuses } = await plugin(join(pluginDirs.pluginsRegistry, 'x.sock'), {}, 1)
  await until('1/1', () => counts() === '1/1')
  await until('told twice', () => statuses.length === 2)
  expect(statuses).toEqual([expect.stringContaining('not yet'), 'registered'])
})

test('removes sockets from the plugin directory at start, and keeps files and directories', async () => {
  const { kubelet, pluginDirs } = await setUp()
  await kubelet.stop()
  await mkdir(join(pluginDirs.devicePlugins, 'sub'))
  await writeFile(join(pluginDirs.devicePlugins, 'notes'), '')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(pluginDirs.devicePlugins, 'old.sock'), resolve))
  onTestFinished(() => void server.close())
  await kubelet.start()
  const left = (await readdir(pluginDirs.devicePlugins)).filter((name) => !name.startsWith('kubelet_internal'))
  expect(left.sort()).toEqual(['kubelet.sock', 'notes', 'sub'])
})

test('admits pods again after a reboot, also without their plugin; keeps them after a restart', async () => {
  const { api, counts, kubelet, pluginDirs } = await setUp()
  const running = await plugin(join(pluginDirs.pluginsRegistry, 'x.sock'))
  await until('1/1', () => counts() === '1/1')
  const pod = {
    metadata: { name: 'p', namespace: 'default', uid: 'u1' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', resources: { limits: { [NAME]: 1 } } }] },
  }
  api.put('/api/v1/namespaces/default/pods', pod)
  const status = () => (api.object('/api/v1/namespaces/default/pods/p') as { status?: Record<string, unknown> }).status
  await until('it runs', () => status()?.['phase'] === 'Running')
  await kubelet.restart()
  await until('1/1', () => counts() === '1/1')
  expect(status()?.['phase']).toBe('Running')
  await kubelet.stop()
  running.stop()
  await kubelet.start({ isReboot: true })
  await until('it failed', () => status()?.['phase'] === 'Failed')
  expect(status()).toMatchObject({
    reason: 'UnexpectedAdmissionError',
    message: expect.stringContaining('no healthy devices present'),
  })
})

test('rejects a directory with too long a socket path before it registers anything', async () => {
  const api = miniApi()
  const far = join(tmpdir(), 'x'.repeat(100))
  const pluginDirs = { devicePlugins: far, pluginsRegistry: far, podResources: far }
  const kubelet = createKubelet({ handler: api.handler, nodeName: 'n1', clock, random: Math.random, pluginDirs })
  await expect(kubelet.start()).rejects.toMatchObject({ code: 'BERTH_SIMULATOR_SOCKET_PATH' })
  expect(api.requests).toEqual([])
})
