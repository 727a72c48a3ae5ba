import { createDeviceManager, type DeviceManager } from '@berth/simulator'
import { silentLogger, type Clock, type Pod, type Random } from '@berth/types'
import { startVirtualPluginManager, type VirtualPluginManager } from '../../src/testing/virtual-plugin-manager.ts'
import type { SocketDirectory } from '../../src/testing/virtual-sockets.ts'

export const RESOURCE = 'example.com/seat'

/** A pod with one container that wants one device. */
export interface VirtualPod {
  readonly uid: string
  state: 'pending' | 'running'
  ids: readonly string[]
}

/** A kubelet without sockets: the device manager of the embedded kubelet, the plugin watcher, and admission. */
export interface VirtualKubelet extends Pick<VirtualPluginManager, 'register' | 'breakStreams' | 'callPlugin'> {
  start(): void
  /** Ends its connections. With `keepsState: false`, its checkpoint is gone as well. */
  stop(options?: { readonly keepsState: boolean }): void
  /** `capacity/allocatable`; undefined while it is stopped or does not know the resource. */
  counts(): string | undefined
  /** Returns the number of healthy devices that no running pod holds. */
  free(): number
  /** Admits a pod after those before it. Calls back with the reason if it is refused. */
  admit(pod: VirtualPod, onRefused: (reason: string) => void): void
  /** Removes a pod, whose devices become free. */
  remove(uid: string): void
  pods(): readonly VirtualPod[]
  /** Returns the ids that the device manager records for a pod. */
  recorded(uid: string): readonly string[]
}

/** Creates a kubelet that is stopped. */
export function createVirtualKubelet(options: {
  readonly directory: SocketDirectory
  readonly isClassic: boolean
  readonly hasStreamRace: boolean
  readonly clock: Clock
  readonly random: Random
}): VirtualKubelet {
  const { directory, isClassic, hasStreamRace, clock, random } = options
  const pods = new Map<string, VirtualPod>()
  let checkpoint: string | undefined
  let manager: DeviceManager | undefined
  let plugins: VirtualPluginManager | undefined
  /** Changes with every start, so that work of an earlier start has no effect. */
  let epoch = 0
  let admissions = Promise.resolve()

  const isRunning = (startedIn: number): boolean => manager !== undefined && startedIn === epoch

  async function admitOne(pod: VirtualPod, startedIn: number, onRefused: (reason: string) => void): Promise<void> {
    if (!isRunning(startedIn) || pods.get(pod.uid) !== pod) return
    const current = manager
    try {
      await current?.allocate(podObject(pod.uid), new Set(pods.keys()))
      if (!isRunning(startedIn)) return
      pod.ids = current?.allocations(pod.uid).flatMap(({ deviceIds }) => deviceIds) ?? []
      pod.state = 'running'
    } catch (error) {
      if (!isRunning(startedIn)) return
      pods.delete(pod.uid)
      onRefused(String(error))
    }
  }

  const kubelet: VirtualKubelet = {
    start() {
      epoch++
      const text = checkpoint
      manager = createDeviceManager({
        clock,
        random,
        log: silentLogger,
        hasStreamRace,
        checkpoint: { read: () => text, write: (next) => void (checkpoint = next) },
      })
      plugins = startVirtualPluginManager({ directory, isClassic, devices: manager, clock, random })
      for (const pod of pods.values()) if (pod.state === 'pending') kubelet.admit(pod, () => {})
    },
    stop({ keepsState = true } = { keepsState: true }) {
      manager = undefined
      plugins?.[Symbol.dispose]()
      plugins = undefined
      admissions = Promise.resolve()
      if (keepsState) return
      checkpoint = undefined
      pods.clear()
    },
    counts() {
      const counts = manager?.counts()
      const capacity = counts?.capacity.get(RESOURCE)
      return capacity === undefined ? undefined : `${capacity}/${counts?.allocatable.get(RESOURCE) ?? 0}`
    },
    free() {
      const healthy = manager?.allocatableDevices().get(RESOURCE) ?? []
      const held = new Set([...pods.values()].flatMap(({ ids }) => ids))
      const pending = [...pods.values()].filter(({ state }) => state === 'pending').length
      return healthy.filter(({ ID }) => !held.has(ID)).length - pending
    },
    async register(endpoint) {
      if (plugins === undefined) throw new Error('the kubelet does not run')
      await plugins.register(endpoint)
    },
    admit(pod, onRefused) {
      pods.set(pod.uid, pod)
      const startedIn = epoch
      admissions = admissions.then(() => admitOne(pod, startedIn, onRefused))
    },
    remove: (uid) => void pods.delete(uid),
    pods: () => [...pods.values()],
    recorded: (uid) => manager?.allocations(uid).flatMap(({ deviceIds }) => deviceIds) ?? [],
    breakStreams: () => plugins?.breakStreams(),
    callPlugin: (start) => plugins?.callPlugin(start),
  }
  return kubelet
}

function podObject(uid: string): Pod {
  const resources = { limits: { [RESOURCE]: '1' } }
  return { metadata: { name: uid, uid }, spec: { containers: [{ name: 'main', image: 'i', resources }] } }
}
