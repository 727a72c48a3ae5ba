import { pause } from '@berth/clock'
import type { DeviceSource } from '@berth/plugin-api'
import type { Instruments } from '@berth/process/metrics'
import { untilAborted } from '@berth/process/shutdown'
import type { Clock, Logger, Random } from '@berth/types'
import { createCdiPublisher } from './cdi/cdi-publisher.ts'
import type { ContainerConfig, PreStartConfig } from './container/container-config.ts'
import { needsPreStart, type PreStartHooks } from './container/pre-start.ts'
import { describeDevices, type DescribedDevice } from './debug/describe-devices.ts'
import type { DeviceIds } from './devices/device-ids.ts'
import { createDeviceTable, type DeviceTable } from './devices/device-table.ts'
import { syncDeviceTable } from './discovery/sync-device-table.ts'
import type { Probe } from './health/probe.ts'
import type { metricDefinitions } from './metrics.ts'
import { checkSocket } from './plugin-server/check-socket.ts'
import type { AllocationPolicy } from './plugin-server/preferred-allocation/take-by-policy.ts'
import type { NodeHelper } from './node-helper/node-helper-client.ts'
import { printableLine } from './printable.ts'
import { keepRegistered, type RegistrationState } from './registration/keep-registered.ts'
import { nodeSockets, type NodeSockets } from './registration/node-sockets.ts'
import { isDeleted, newSocketPath, type SocketDirectory } from './registration/socket-directory.ts'

/** Serves one resource of this node to the kubelet: runs its device source, its gRPC server and its registration. */
export interface ResourcePlugin extends AsyncDisposable {
  readonly resourceName: string
  /** Replaces the source and its settings. The earlier inventory stays until the new source has one. */
  reconfigure(settings: ResourceSettings): void
  /** Withdraws all devices from the kubelet, so that the node shows 0, or offers them again. */
  withdraw(isWithdrawn: boolean): void
  /** Takes the ids that containers hold, as {@link DeviceTable.hold}. */
  hold(ids: readonly string[], askedAtMs: number): void
  /** Returns the devices with health, cause and reason, and those that probes removed. */
  devices(): readonly DescribedDevice[]
  /**
   * Returns why discovery fails or why the kubelet does not count the resource; undefined when it is streaming, and while
   * the plugin stands by with an inventory.
   */
  problem(): string | undefined
  /**
   * Returns why the plugin's own socket does not answer, or cannot be opened because its directory was deleted. Undefined
   * when it answers, and while none is served.
   */
  socketProblem(signal: AbortSignal): Promise<string | undefined>
}

/** The part of a resource that changes with the configuration, without a new stream. */
export interface ResourceSettings {
  readonly source: DeviceSource
  readonly keepMissingMs: number
  readonly probeMs: number
  /** Configured probes. Default: none. */
  readonly probes?: readonly Probe[]
  /** Default: pack. */
  readonly allocationPolicy?: AllocationPolicy
  /** Everything that a container gets in addition to its devices. Default: nothing. */
  readonly container?: ContainerConfig | undefined
  /** Whether containers get CDI names in place of device nodes and mounts. Default: false. */
  readonly usesCdi?: boolean
  /** Program that prepares devices before a container starts. Default: none. */
  readonly preStart?: PreStartConfig | undefined
}

/** Dependencies of a resource plugin. */
export interface ResourcePluginOptions extends ResourceSettings {
  readonly resourceName: string
  readonly directory: SocketDirectory
  /** Default: the sockets of this node. */
  readonly sockets?: NodeSockets
  /** Socket for classic registration. Omit to use the plugin watcher. */
  readonly kubeletSocket?: string
  /** Omit if no resource uses CDI. */
  readonly nodeHelper?: Pick<NodeHelper, 'putCdi'> | undefined
  /**
   * Resolves when the resource may be served, and never if the process stops before. Until then only its devices are
   * discovered. Default: at once.
   */
  readonly turn?: Promise<void>
  /** Ids of all resources of the node. */
  readonly deviceIds: DeviceIds
  readonly metrics: Instruments<typeof metricDefinitions>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Timeout for stopping one resource plugin. */
const STOP_TIMEOUT_MS = 2000

/**
 * Starts discovery, and serves the resource after the first inventory. Disposing ends the streams and deletes the
 * socket.
 */
export function startResourcePlugin(options: ResourcePluginOptions): ResourcePlugin {
  const { resourceName, directory, sockets = nodeSockets, kubeletSocket, metrics, clock, random, log } = options
  let settings: ResourceSettings = options
  const stop = new AbortController()
  let isStandingBy = options.turn !== undefined
  /** Resolves to false if the plugin is stopped before. */
  const turn = (async () => {
    await Promise.race([options.turn, untilAborted(stop.signal)])
    isStandingBy = false
    return !stop.signal.aborted
  })()
  const table = createDeviceTable({
    resourceName,
    keepMissingMs: options.keepMissingMs,
    deviceIds: options.deviceIds,
    clock,
    log,
  })
  const { nodeHelper } = options
  const putCdi: NodeHelper['putCdi'] | undefined =
    nodeHelper &&
    (async (...file) => {
      // The process that still serves hands out what the present file says.
      if (await turn) await nodeHelper.putCdi(...file)
    })
  const cdi = putCdi && createCdiPublisher({ resourceName, table, put: putCdi, clock, random, log })
  const state: RegistrationState = { streams: 0, problem: 'the device source has not returned an inventory yet' }
  const labels = { resource_name: resourceName }
  // Without a stream there is no event, and an alert needs the series.
  metrics.streams.set(labels, 0)
  table.subscribe(() => updateDeviceGauge(table, resourceName, metrics))

  const allocatingSource = ({ source, usesCdi = false }: ResourceSettings): DeviceSource =>
    usesCdi && cdi !== undefined ? cdi.handOver(source) : source

  async function serve(): Promise<void> {
    await waitForFirstInventory(table, stop.signal)
    await turn
    const register = (endpoint: string): Promise<void> =>
      sockets.register({ kubeletSocket: kubeletSocket ?? '', endpoint, resourceName, clock, signal: stop.signal })
    await keepRegistered(
      {
        resourceName,
        ...(kubeletSocket !== undefined && { kubeletSocket }),
        sockets,
        startServer: async (events) => {
          for (const path of await sockets.removeStale(directory, resourceName)) {
            log.info({ resourceName, socket: path }, 'Removed a stale socket')
          }
          return sockets.startServer({
            socketPath: newSocketPath(directory, resourceName, random),
            resourceName,
            table,
            source: { allocate: (ids, devices) => allocatingSource(settings).allocate(ids, devices) },
            container: () => settings.container,
            preStart: () => preStartHooksOf(settings),
            allocationPolicy: () => settings.allocationPolicy ?? 'pack',
            clock,
            log,
            events: {
              onRegistrationStatus: (error) => events.onRegistrationStatus(error),
              onStreamsChanged(open) {
                if (!stop.signal.aborted) metrics.streams.set(labels, open)
                events.onStreamsChanged(open)
              },
              onAllocated: (isGranted) => metrics.allocations.inc({ ...labels, result: isGranted ? 'ok' : 'failed' }),
              onPreStarted: (isPrepared) => metrics.preStarts.inc({ ...labels, result: isPrepared ? 'ok' : 'failed' }),
              onListSent: () => metrics.lists.inc(labels),
            },
          })
        },
        register,
        clock,
        random,
        log,
        onResult: (isOk) => metrics.registrations.inc({ ...labels, result: isOk ? 'ok' : 'failed' }),
      },
      state,
      stop.signal,
    )
  }

  let discoveryFailure: string | undefined
  const onDiscovery = (failure: string | undefined): void => {
    discoveryFailure = failure === undefined ? undefined : printableLine(failure)
    if (!stop.signal.aborted) metrics.discoveryFailing.set(labels, failure === undefined ? 0 : 1)
    if (failure !== undefined) metrics.discoveryFailures.inc(labels)
  }
  function startSync(next: ResourceSettings, trustedIds: ReadonlySet<string>): Sync {
    const own = new AbortController()
    const { probeMs, probes = [] } = next
    const source = allocatingSource(next)
    const onFirstInventory = (): void => {
      const isChanged = needsPreStart(preStartHooksOf(next)) !== needsPreStart(preStartHooksOf(settings))
      settings = next
      cdi?.describeWith(next.usesCdi === true ? next.source : undefined)
      // The kubelet reads the options of a plugin only when it registers.
      if (isChanged) state.registerAgain?.('the configuration changed whether preStart is needed')
      table.startOver(next.keepMissingMs)
    }
    const ended = syncDeviceTable(
      { resourceName, source, table, probeMs, probes, trustedIds, clock, random, log, onDiscovery, onFirstInventory },
      AbortSignal.any([own.signal, stop.signal]),
    )
    return { stop: () => own.abort(), ended }
  }

  let sync = startSync(options, new Set())
  const serving = serve()
  return {
    resourceName,
    reconfigure(next) {
      sync.stop()
      const healthy = (table.list() ?? []).filter(({ health }) => health === 'Healthy')
      sync = startSync(next, new Set(healthy.map(({ id }) => id)))
    },
    devices: () => describeDevices(table),
    withdraw: (isWithdrawn) => table.withdraw(isWithdrawn),
    hold: (ids, askedAtMs) => table.hold(ids, askedAtMs),
    problem() {
      if (discoveryFailure !== undefined) return `discovery failed: ${discoveryFailure}`
      if (isStandingBy && table.list() !== undefined) return undefined
      return state.streams > 0 ? cdi?.problem() : state.problem
    },
    async socketProblem(signal) {
      const path = state.socketPath
      if (path === undefined) {
        return (await isDeleted(directory)) ? `${directory.path} was deleted, so no socket can be opened` : undefined
      }
      const failure = await checkSocket(path, signal)
      // The socket may have been replaced during the call.
      return path === state.socketPath ? failure : undefined
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      // A source that ignores the signal must not keep the process running.
      const ended = new AbortController()
      await Promise.race([Promise.all([sync.ended, serving]), pause(clock, STOP_TIMEOUT_MS, ended.signal)])
      ended.abort()
      cdi?.[Symbol.dispose]()
      table.close()
      for (const health of ['Healthy', 'Unhealthy']) metrics.devices.set({ ...labels, health }, 0)
      // What was wrong with a resource that is not configured any more must not raise alerts.
      for (const cause of table.counts().byCause.keys()) metrics.unhealthyDevices.remove({ ...labels, cause })
      metrics.discoveryFailing.remove(labels)
      metrics.streams.remove(labels)
    },
  }
}

function preStartHooksOf({ source, preStart: config }: ResourceSettings): PreStartHooks {
  return { source, config }
}

/** A running source of a resource. */
interface Sync {
  stop(): void
  readonly ended: Promise<void>
}

function waitForFirstInventory(table: DeviceTable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      unsubscribe()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const unsubscribe = table.subscribe(done)
    signal.addEventListener('abort', done, { once: true })
  })
}

function updateDeviceGauge(
  table: DeviceTable,
  resourceName: string,
  metrics: Instruments<typeof metricDefinitions>,
): void {
  const { healthy, unhealthy, byCause } = table.counts()
  for (const [cause, count] of byCause) metrics.unhealthyDevices.set({ resource_name: resourceName, cause }, count)
  metrics.devices.set({ resource_name: resourceName, health: 'Healthy' }, healthy)
  metrics.devices.set({ resource_name: resourceName, health: 'Unhealthy' }, unhealthy)
}
