import { createSocketDirectory, startVirtualPlugin, startVirtualPluginManager } from '@berth/device-plugin/testing'
import type { SocketDirectory, VirtualPlugin, VirtualPluginManager } from '@berth/device-plugin/testing'
import type { DeviceSource } from '@berth/plugin-api'
import { createKubelet, type Kubelet } from '@berth/simulator'
import type { ApiHandler, Clock, Device, Random, Taint } from '@berth/types'

/** The resource of the devices. */
export const DEVICE = 'example.com/gpu'
const TERMINATION_MS = 1_000
const STATUS_SYNC_MS = 2_000
const RETRY_MS = 1_000

/** A node of the cluster: its devices, its kubelet, and the process of the device plugin. */
export interface Machine {
  readonly name: string
  readonly ids: readonly string[]
  readonly directory: SocketDirectory
  readonly kubelet: Kubelet
  /** The connections to plugins; undefined while the kubelet is stopped. */
  plugins(): VirtualPluginManager | undefined
  isHealthy(id: string): boolean
  setHealth(id: string, isHealthy: boolean): void
  /** Starts the kubelet, again if the API server does not answer. */
  startKubelet(options?: { readonly isReboot: boolean }): void
  startPlugin(): void
  killPlugin(): void
  /** Ends the plugin as SIGTERM does. */
  stopPlugin(): Promise<void>
  /** Ends everything. */
  end(): void
}

/** Creates a node that is switched off. */
export function createMachine(options: {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly devices: number
  readonly handler: ApiHandler
  readonly clock: Clock
  readonly random: Random
}): Machine {
  const { name, labels, taints, handler, clock, random } = options
  const isClassic = random() < 0.5
  const ids = Array.from({ length: options.devices }, (_, i) => `gpu-${i}`)
  const unhealthy = new Set<string>()
  const wakes = new Set<() => void>()
  const directory = createSocketDirectory()
  let checkpoint: string | undefined
  let plugins: VirtualPluginManager | undefined
  let running: VirtualPlugin | undefined
  let isEnded = false

  const kubelet = createKubelet({
    handler,
    nodeName: name,
    labels,
    taints,
    capacity: { cpu: '64', memory: '64Gi', pods: '20' },
    clock,
    random,
    statusSyncMs: STATUS_SYNC_MS,
    terminationMs: TERMINATION_MS,
    hasStreamRace: random() < 0.5,
    checkpoint: { read: () => checkpoint, write: (text) => void (checkpoint = text) },
    connectPlugins(devices) {
      const started = startVirtualPluginManager({ directory, isClassic, devices, clock, random })
      plugins = started
      return {
        [Symbol.dispose]() {
          started[Symbol.dispose]()
          if (plugins === started) plugins = undefined
        },
      }
    },
  })
  const inventory = (): readonly Device[] =>
    ids.map((id) => (unhealthy.has(id) ? { id, health: 'Unhealthy', reason: 'it is off' } : { id, health: 'Healthy' }))
  const source: DeviceSource = {
    async *discover(signal) {
      while (!signal.aborted) {
        yield inventory()
        await new Promise<void>((resolve) => {
          wakes.add(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    allocate: (wanted) => ({ env: { GPUS: wanted.join(',') } }),
  }

  const machine: Machine = {
    name,
    ids,
    directory,
    kubelet,
    plugins: () => plugins,
    isHealthy: (id) => !unhealthy.has(id),
    setHealth(id, isHealthy) {
      if (isHealthy) unhealthy.delete(id)
      else unhealthy.add(id)
      for (const wake of wakes) wake()
      wakes.clear()
    },
    startKubelet(start = { isReboot: false }) {
      if (isEnded) return
      kubelet.start(start).catch(() => clock.setTimer(RETRY_MS, () => machine.startKubelet(start)))
    },
    startPlugin() {
      if (isEnded) return
      running ??= startVirtualPlugin({
        resourceName: DEVICE,
        source,
        directory,
        isClassic,
        register: (endpoint) => plugins?.register(endpoint) ?? Promise.reject(new Error('the kubelet does not run')),
        clock,
        random,
      })
    },
    killPlugin() {
      running?.process.kill()
      running = undefined
    },
    async stopPlugin() {
      const stopped = running
      running = undefined
      await stopped?.plugin[Symbol.asyncDispose]()
      stopped?.process.kill()
    },
    end() {
      isEnded = true
      machine.killPlugin()
      void kubelet.stop()
    },
  }
  return machine
}
