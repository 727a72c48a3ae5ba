import { KUBELET_SOCKET_NAME, type ListPodResourcesResponse } from '@berth/kubelet-api'
import { silentLogger, type Node, type Pod, type Timer } from '@berth/types'
import { join } from 'node:path'
import { addBuiltInDevices } from './devices/built-in-devices.ts'
import { createFileCheckpoint } from './devices/file-checkpoint.ts'
import { createDeviceManager, type DeviceManager } from './devices/device-manager.ts'
import { startKubeletFeeds } from './api/kubelet-feeds.ts'
import type { KubeletFeeds } from './api/kubelet-feeds.ts'
import type { Kubelet, KubeletOptions, RestartOptions } from './kubelet-options.ts'
import { createNodeManager, type NodeManager } from './node/node-manager.ts'
import { createNodeLease } from './node/node-lease.ts'
import { listPodResources } from './sockets/pod-resources-server.ts'
import { startPluginSockets, type PluginSockets } from './sockets/plugin-sockets.ts'
import { createPodWorkers, type PodWorkers } from './pods/pod-workers.ts'
import { createApiClient } from './api/api-client.ts'
import { checkSocketPath } from './sockets/unix-socket.ts'

const DEFAULT_CAPACITY = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' }

/** One run of the kubelet, from its start to its stop: the state that a restart discards. */
interface KubeletRun {
  readonly devices: DeviceManager
  readonly nodeManager: NodeManager
  readonly workers: PodWorkers
  podResources(): ListPodResourcesResponse
  end(): Promise<void>
}

/**
 * Creates a simulated kubelet. It does nothing until it is started. Registration, status, Lease, pod life cycle and
 * device plugins follow v1.36. It reports containers as running, but runs none.
 */
export function createKubelet(options: KubeletOptions): Kubelet {
  const { handler, nodeName, clock, random, log = silentLogger, pluginDirs, hasStreamRace = true } = options
  let current: KubeletRun | undefined
  let boots = 0

  async function startRun(restart: RestartOptions): Promise<KubeletRun> {
    if (pluginDirs !== undefined) {
      for (const dir of [pluginDirs.devicePlugins, pluginDirs.podResources])
        checkSocketPath(join(dir, KUBELET_SOCKET_NAME))
    }
    const stop = new AbortController()
    const api = createApiClient(handler, options.headers)
    if (restart.isReboot === true || boots === 0) boots++
    const checkpoint = options.checkpoint ?? (pluginDirs && createFileCheckpoint(pluginDirs.devicePlugins))
    const devices: DeviceManager = createDeviceManager({
      clock,
      random,
      log,
      hasStreamRace,
      ...(checkpoint !== undefined && { checkpoint }),
      onChange: () => workers.refreshDevices(),
    })
    const nodeManager = createNodeManager({
      identity: {
        nodeName,
        capacity: { ...DEFAULT_CAPACITY, ...options.capacity },
        bootId: `boot-${boots}`,
        ...(options.labels !== undefined && { labels: options.labels }),
        ...(options.taints !== undefined && { taints: options.taints }),
      },
      reserved: options.reserved ?? {},
      api,
      clock,
      devices,
    })
    const workers = createPodWorkers({
      nodeName,
      api,
      clock,
      log,
      devices,
      node: () => nodeManager.node(),
      terminationMs: options.terminationMs ?? 0,
      keepsRunningPods: restart.isReboot !== true,
      signal: stop.signal,
    })
    addBuiltInDevices(devices, options.devices ?? {})
    await nodeManager.register({ resetsExtendedResources: restart.resetsExtendedResources ?? false })
    if (options.devices !== undefined) await nodeManager.sync()
    const ownFeeds = options.feeds
      ? undefined
      : startKubeletFeeds({ handler, clock, log, nodeName, ...(options.headers && { headers: options.headers }) })
    const feeds = (options.feeds ?? ownFeeds) as KubeletFeeds
    const pods = (): readonly Pod[] => feeds.pods.get(nodeName)
    const plugins = options.connectPlugins?.(devices)
    const sockets: PluginSockets | undefined =
      pluginDirs &&
      (await startPluginSockets({
        dirs: pluginDirs,
        devices,
        clock,
        log,
        hasStreamRace,
        pods,
      }))
    const unsubscribe = [
      feeds.nodes.subscribe(nodeName, {
        set: (node: Node) => nodeManager.observe(node),
        remove: () => nodeManager.observe(undefined),
      }),
      feeds.pods.subscribe(nodeName, workers),
    ]
    const lease = createNodeLease(nodeName, api, clock)
    const { statusSyncMs = 1000, leaseRenewMs = 10_000 } = options
    // Registration wrote the status. The first sync waits, so that plugins of the watcher can register before it.
    const loops = [repeat(statusSyncMs, statusSyncMs, () => nodeManager.sync())]
    if (leaseRenewMs > 0) loops.push(repeat(0, leaseRenewMs, () => lease.renew()))

    return {
      devices,
      nodeManager,
      workers,
      podResources: () => listPodResources(pods(), devices),
      async end() {
        stop.abort()
        for (const each of [...unsubscribe, ...loops]) each()
        plugins?.[Symbol.dispose]()
        await sockets?.[Symbol.asyncDispose]()
        await ownFeeds?.[Symbol.asyncDispose]()
        await workers.settled()
      },
    }
  }

  /** Runs `task` repeatedly, each time after the previous run ended. Returns a function that stops it. */
  function repeat(firstMs: number, everyMs: number, task: () => Promise<void>): () => void {
    let timer: Timer | undefined
    let isStopped = false
    const run = async (): Promise<void> => {
      try {
        await task()
      } catch (error) {
        if (!isStopped) log.warn({ err: error, node: nodeName }, 'Simulated kubelet cannot reach the API server')
      }
      if (!isStopped) timer = clock.setTimer(everyMs, () => void run())
    }
    if (firstMs === 0) void run()
    else timer = clock.setTimer(firstMs, () => void run())
    return () => {
      isStopped = true
      timer?.cancel()
    }
  }

  function requireRun(): KubeletRun {
    if (current === undefined) throw new Error(`simulated kubelet ${nodeName} is stopped`)
    return current
  }

  const kubelet: Kubelet = {
    nodeName,
    get isRunning() {
      return current !== undefined
    },
    async start(restart = {}) {
      current ??= await startRun(restart)
    },
    async stop() {
      const ending = current
      current = undefined
      await ending?.end()
    },
    async restart(restart = {}) {
      await kubelet.stop()
      await kubelet.start(restart)
    },
    syncStatus: () => requireRun().nodeManager.sync(),
    settled: async () => current?.workers.settled(),
    get devices() {
      return requireRun().devices
    },
    podResources: () => requireRun().podResources(),
    runOptions: (pod, container) => requireRun().devices.runOptions(pod.metadata.uid ?? '', container),
    [Symbol.asyncDispose]: () => kubelet.stop(),
  }
  return kubelet
}
