import { createPluginRegistry } from '@berth/plugin-api'
import { systemClock } from '@berth/clock'
import { createApiServer, createKubelet, type Kubelet } from '@berth/simulator'
import { createMetrics } from '@berth/process/metrics'
import { silentLogger, type ApiHandler, type Node, type Pod } from '@berth/types'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createDeviceIds } from '../src/devices/device-ids.ts'
import { metricDefinitions } from '../src/metrics.ts'
import { startResourcePlugin, type ResourcePlugin, type ResourcePluginOptions } from '../src/resource-plugin.ts'
import { countSource } from '../src/sources/count/count.ts'

export const DONGLE = 'example.com/dongle'
export type RegistrationMode = 'watcher' | 'classic'

/** A node with an embedded kubelet and the device plugins of a test. */
export interface TestNode extends AsyncDisposable {
  readonly dir: string
  readonly kubelet: Kubelet
  readonly socketDir: (mode: RegistrationMode) => string
  /** Starts a plugin in this process. */
  readonly startPlugin: (mode: RegistrationMode, options?: Partial<ResourcePluginOptions>) => StartedPlugin
  /** Returns `capacity/allocatable` of the dongles from the node status. */
  readonly counts: () => Promise<string>
  /** Waits for `capacity/allocatable` in the node status. */
  readonly waitForCounts: (wanted: string, withinMs?: number) => Promise<void>
  /** Binds a pod that requests dongles and waits until it is no longer pending. */
  readonly runPod: (name: string, dongles: number) => Promise<Pod>
  readonly pod: (name: string) => Promise<Pod>
}

export interface StartedPlugin extends ResourcePlugin {
  /** Returns the number of successful registrations. */
  readonly registrations: () => Promise<number>
  /** Returns the text of /metrics. */
  readonly metrics: () => Promise<string>
}

const clock = systemClock()

async function call<T>(handler: ApiHandler, method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
  const response = await handler({
    method,
    path,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  if (response.status > 299) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as T
}

/** Polls until the result is defined. */
export async function waitUntil<T>(
  description: string,
  poll: () => Promise<T | undefined>,
  withinMs = 60_000,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const result = await poll()
    if (result !== undefined) return result
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${description}`)
    await setTimeout(20)
  }
}

/** Starts a node whose kubelet writes its status ten times per second. */
export async function startTestNode(options: { readonly hasStreamRace?: boolean } = {}): Promise<TestNode> {
  const dir = await mkdtemp(join(tmpdir(), 'dp-'))
  const api = createApiServer({ clock, random: Math.random })
  const pluginDirs = {
    devicePlugins: join(dir, 'device-plugins'),
    pluginsRegistry: join(dir, 'plugins_registry'),
    podResources: join(dir, 'pod-resources'),
  }
  await mkdir(pluginDirs.pluginsRegistry)
  const kubelet = createKubelet({
    handler: api.handle,
    nodeName: 'n1',
    clock,
    random: Math.random,
    pluginDirs,
    statusSyncMs: 100,
    leaseRenewMs: 0,
    ...options,
  })
  await kubelet.start()
  const plugins: StartedPlugin[] = []
  const socketDir = (mode: RegistrationMode): string =>
    mode === 'watcher' ? pluginDirs.pluginsRegistry : pluginDirs.devicePlugins

  const counts = async (): Promise<string> => {
    const { status } = await call<Node>(api.handle, 'GET', '/api/v1/nodes/n1')
    return `${status?.capacity?.[DONGLE] ?? '-'}/${status?.allocatable?.[DONGLE] ?? '-'}`
  }
  const pod = (name: string): Promise<Pod> => call<Pod>(api.handle, 'GET', `/api/v1/namespaces/default/pods/${name}`)

  return {
    dir,
    kubelet,
    socketDir,
    counts,
    pod,
    startPlugin(mode, overrides = {}) {
      const metrics = createMetrics('device-plugin', { withProcess: false })
      const instruments = metrics.instruments(metricDefinitions)
      const env = { log: silentLogger, clock, random: Math.random, resourceName: DONGLE }
      const sources = createPluginRegistry([{ plugin: countSource, origin: 'here' }])
      const plugin = startResourcePlugin({
        resourceName: DONGLE,
        source: sources.createDeviceSource('count', { count: 4 }, env),
        directory: { path: socketDir(mode), flag: '--plugins-registry' },
        ...(mode === 'classic' && { kubeletSocket: join(pluginDirs.devicePlugins, 'kubelet.sock') }),
        keepMissingMs: 0,
        deviceIds: createDeviceIds(),
        probeMs: 100,
        metrics: instruments,
        clock,
        random: Math.random,
        log: silentLogger,
        ...overrides,
      })
      const started: StartedPlugin = {
        ...plugin,
        async registrations() {
          const { values } = await instruments.registrations.get()
          return values.find(({ labels }) => labels.result === 'ok')?.value ?? 0
        },
        metrics: () => metrics.registry.metrics(),
      }
      plugins.push(started)
      return started
    },
    async waitForCounts(wanted, withinMs) {
      let last = ''
      await waitUntil(
        `capacity/allocatable ${wanted}`,
        async () => ((last = await counts()) === wanted ? true : undefined),
        withinMs,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}; the last value is ${last}`, { cause: error })
      })
    },
    async runPod(name, dongles) {
      await call(api.handle, 'POST', '/api/v1/namespaces/default/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: {
          nodeName: 'n1',
          containers: [{ name: 'main', image: 'img', resources: { limits: { [DONGLE]: dongles } } }],
        },
      })
      return waitUntil(`pod ${name} is placed or refused`, async () => {
        const found = await pod(name)
        return found.status?.phase === 'Pending' ? undefined : found
      })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(plugins.map((plugin) => plugin[Symbol.asyncDispose]()))
      await kubelet.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
