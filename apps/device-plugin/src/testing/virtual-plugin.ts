import { createVirtualProcess, type VirtualProcess } from '@berth/clock/testing'
import type { DeviceSource } from '@berth/plugin-api'
import { createMetrics } from '@berth/process/metrics'
import { silentLogger, type Clock, type Random } from '@berth/types'
import { createDeviceIds } from '../devices/device-ids.ts'
import { metricDefinitions } from '../metrics.ts'
import { startResourcePlugin, type ResourcePlugin } from '../resource-plugin.ts'
import { KUBELET_SOCKET, REGISTRY } from './virtual-plugin-manager.ts'
import { socketsOf, type SocketDirectory } from './virtual-sockets.ts'

const PROBE_MS = 1_000

/** A process of the device plugin on a virtual node. */
export interface VirtualPlugin {
  readonly plugin: ResourcePlugin
  readonly process: VirtualProcess
  /** Returns the number of lists that it has sent. */
  lists(): Promise<number>
}

/** Starts a process that serves one resource. */
export function startVirtualPlugin(options: {
  readonly resourceName: string
  readonly source: DeviceSource
  readonly directory: SocketDirectory
  readonly isClassic: boolean
  /** The Register call to the kubelet that runs at that time. */
  readonly register: (endpoint: string) => Promise<void>
  readonly clock: Clock
  readonly random: Random
}): VirtualPlugin {
  const { resourceName, source, directory, isClassic, register, random } = options
  const process = createVirtualProcess(options.clock)
  const metrics = createMetrics('device-plugin', { withProcess: false }).instruments(metricDefinitions)
  const plugin = startResourcePlugin({
    resourceName,
    source,
    directory: { path: REGISTRY, flag: '--plugins-registry' },
    sockets: socketsOf(process, { directory, register, random }),
    ...(isClassic && { kubeletSocket: KUBELET_SOCKET }),
    keepMissingMs: 0,
    probeMs: PROBE_MS,
    deviceIds: createDeviceIds(),
    metrics,
    clock: process.clock,
    random,
    log: silentLogger,
  })
  return { plugin, process, lists: async () => (await metrics.lists.get()).values[0]?.value ?? 0 }
}
