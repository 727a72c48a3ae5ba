import { KUBELET_SOCKET_NAME } from '@berth/kubelet-api'
import { silentLogger, type Node, type Timer } from '@berth/types'
import { join } from 'node:path'
import { addBuiltInDevices } from './devices/built-in-devices.ts'
import { createFileCheckpoint } from './devices/file-checkpoint.ts'
import { createDeviceManager, type DeviceManager } from './devices/device-manager.ts'
import { startKubeletFeeds } from './api/kubelet-feeds.ts'
import type { KubeletFeeds } from './api/kubelet-feeds.ts'
import type { Kubelet, KubeletOptions, RestartOptions } from './kubelet-options.ts'
import { createNodeKeeper, type NodeKeeper } from './node/node-keeper.ts'
import { createNodeLease } from './node/node-lease.ts'
import { startPluginShell, type PluginShell } from './sockets/plugin-shell.ts'
import { createPodWorkers, type PodWorkers } from './pods/pod-workers.ts'
import { createRest } from './api/rest.ts'
import { checkSocketPath } from './sockets/unix-socket.ts'

const DEFAULT_CAPACITY = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' }

/** One life of the kubelet process: everything that a restart throws away. */
interface Life {
  readonly devices: DeviceManager
  readonly keeper: NodeKeeper
  readonly workers: PodWorkers
  end(): Promise<void>
}

/**
 * Creates a simulated kubelet; it does nothing until it is started. Real semantics of v1.36 for registration, status,
 * Lease, pod life cycle and device plugins; containers are a matter of bookkeeping.
 */
export function createKubelet(options: KubeletOptions): Kubelet {
  const { handler, nodeName, clock, random, log = silentLogger, pluginDirs, hasStreamRace = true } = options
  let life: Life | undefined
  let boots = 0

  async function begin(restart: RestartOptions): Promise<Life> {
    if (pluginDirs !== undefined) {
      for (const dir of [pluginDirs.devicePlugins, pluginDirs.podResources])
        checkSocketPath(join(dir, KUBELET_SOCKET_NAME))
    }
    const stop = new AbortController()
    const rest = createRest(handler, options.headers)
    if (restart.isReboot === true || boots === 0) boots++
    const devices: DeviceManager = createDeviceManager({
      clock,
      random,
      log,
      hasStreamRace,
      ...(pluginDirs !== undefined && { checkpoint: createFileCheckpoint(pluginDirs.devicePlugins) }),
      onChange: () => workers.refreshDevices(),
    })
    const keeper = createNodeKeeper({
      identity: {
        nodeName,
        capacity: { ...DEFAULT_CAPACITY, ...options.capacity },
        bootId: `boot-${boots}`,
        ...(options.labels !== undefined && { labels: options.labels }),
        ...(options.taints !== undefined && { taints: options.taints }),
      },
      reserved: options.reserved ?? {},
      rest,
      clock,
      devices,
    })
    const workers = createPodWorkers({
      nodeName,
      rest,
      clock,
      log,
      devices,
      node: () => keeper.node(),
      terminationMs: options.terminationMs ?? 0,
      keepsRunningPods: restart.isReboot !== true,
      signal: stop.signal,
    })
    addBuiltInDevices(devices, options.devices ?? {})
    await keeper.register({ resetsExtendedResources: restart.resetsExtendedResources ?? false })
    if (options.devices !== undefined) await keeper.sync()
    const ownFeeds = options.feeds
      ? undefined
      : startKubeletFeeds({ handler, clock, log, nodeName, ...(options.headers && { headers: options.headers }) })
    const feeds = (options.feeds ?? ownFeeds) as KubeletFeeds
    const shell: PluginShell | undefined =
      pluginDirs &&
      (await startPluginShell({
        dirs: pluginDirs,
        devices,
        clock,
        log,
        hasStreamRace,
        pods: () => feeds.pods.get(nodeName),
      }))
    const unsubscribe = [
      feeds.nodes.subscribe(nodeName, {
        set: (node: Node) => keeper.observe(node),
        gone: () => keeper.observe(undefined),
      }),
      feeds.pods.subscribe(nodeName, workers),
    ]
    const lease = createNodeLease(nodeName, rest, clock)
    const { statusSyncMs = 1000, leaseRenewMs = 10_000 } = options
    // Registration wrote the status, and plugins that the watcher knows are to be back before it is written again.
    const loops = [repeat(statusSyncMs, statusSyncMs, () => keeper.sync())]
    if (leaseRenewMs > 0) loops.push(repeat(0, leaseRenewMs, () => lease.renew()))

    return {
      devices,
      keeper,
      workers,
      async end() {
        stop.abort()
        for (const each of [...unsubscribe, ...loops]) each()
        await shell?.[Symbol.asyncDispose]()
        await ownFeeds?.[Symbol.asyncDispose]()
        await workers.settled()
      },
    }
  }

  /** Runs `task` again and again, each turn after the last one ended; the return value ends it. */
  function repeat(firstMs: number, everyMs: number, task: () => Promise<void>): () => void {
    let timer: Timer | undefined
    let isOver = false
    const turn = async (): Promise<void> => {
      try {
        await task()
      } catch (error) {
        if (!isOver) log.warn({ err: error, node: nodeName }, 'Simulated kubelet cannot reach the API server')
      }
      if (!isOver) timer = clock.setTimer(everyMs, () => void turn())
    }
    if (firstMs === 0) void turn()
    else timer = clock.setTimer(firstMs, () => void turn())
    return () => {
      isOver = true
      timer?.cancel()
    }
  }

  function living(): Life {
    if (life === undefined) throw new Error(`simulated kubelet ${nodeName} is stopped`)
    return life
  }

  const kubelet: Kubelet = {
    nodeName,
    get isRunning() {
      return life !== undefined
    },
    async start(restart = {}) {
      life ??= await begin(restart)
    },
    async stop() {
      const ending = life
      life = undefined
      await ending?.end()
    },
    async restart(restart = {}) {
      await kubelet.stop()
      await kubelet.start(restart)
    },
    syncStatus: () => living().keeper.sync(),
    settled: async () => life?.workers.settled(),
    get devices() {
      return living().devices
    },
    runOptions: (pod, container) => living().devices.runOptions(pod.metadata.uid ?? '', container),
    [Symbol.asyncDispose]: () => kubelet.stop(),
  }
  return kubelet
}
