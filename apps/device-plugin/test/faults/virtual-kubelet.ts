import type { AllocateResponse, ListAndWatchResponse } from '@berth/kubelet-api'
import { createDeviceManager, type DeviceManager } from '@berth/simulator'
import { silentLogger, type Clock, type Pod, type Random } from '@berth/types'
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js'
import { EventEmitter } from 'node:events'
import type { PluginHandlers } from '../../src/plugin-server/plugin-handlers.ts'
import type { SocketDirectory, SocketFile } from './virtual-sockets.ts'

export const RESOURCE = 'example.com/seat'
export const REGISTRY = '/registry'
export const KUBELET_SOCKET = `${REGISTRY}/kubelet.sock`
const MAX_LATENCY_MS = 20
/** The plugin watcher calls a new socket after this time. */
const DISCOVERY_MS = 250
const RETRY_MS = 1_000

/** A pod with one container that wants one device. */
export interface VirtualPod {
  readonly uid: string
  state: 'pending' | 'running'
  ids: readonly string[]
}

/** A kubelet without sockets: the device manager of the embedded kubelet, the plugin watcher, and admission. */
export interface VirtualKubelet {
  start(): void
  /** Ends its connections. With `keepsState: false`, its checkpoint is gone as well. */
  stop(options?: { readonly keepsState: boolean }): void
  /** `capacity/allocatable`; undefined while it is stopped or does not know the resource. */
  counts(): string | undefined
  /** Returns the number of healthy devices that no running pod holds. */
  free(): number
  /** The classic Register call. */
  register(endpoint: string): Promise<void>
  /** Admits a pod after those before it. Calls back with the reason if it is refused. */
  admit(pod: VirtualPod, onRefused: (reason: string) => void): void
  /** Removes a pod, whose devices become free. */
  remove(uid: string): void
  pods(): readonly VirtualPod[]
  /** Returns the ids that the device manager records for a pod. */
  recorded(uid: string): readonly string[]
  /** Breaks the stream as a network does: both sides see its end. */
  breakStreams(): void
  /** Calls a plugin that has an open stream; undefined if there is none. */
  callPlugin<Response>(
    call: (handlers: PluginHandlers, callback: sendUnaryData<Response>) => void,
  ): Promise<Response> | undefined
}

interface Connection {
  readonly path: string
  readonly file: SocketFile
  close(): void
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
  const connections = new Set<Connection>()
  let checkpoint: string | undefined
  let manager: DeviceManager | undefined
  /** Changes with every start, so that work of an earlier start has no effect. */
  let epoch = 0
  let admissions = Promise.resolve()
  let endWatch = (): void => {}

  const isRunning = (startedIn: number): boolean => manager !== undefined && startedIn === epoch

  function call<Response>(
    { handlers, process }: SocketFile,
    start: (handlers: PluginHandlers, callback: sendUnaryData<Response>) => void,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('connection closed'))
      if (handlers === undefined || process?.isAlive() !== true) {
        gone()
        return
      }
      const forget = process.onKill(gone)
      clock.setTimer(random() * MAX_LATENCY_MS, () => {
        if (!process.isAlive()) return
        start(handlers, (error, value) => {
          forget()
          if (error === null && value !== null && value !== undefined) resolve(value)
          else reject(new Error(error?.details ?? 'no response'))
        })
      })
    })
  }

  async function connect(path: string): Promise<void> {
    const file = directory.get(path)
    const startedIn = epoch
    if (file?.handlers === undefined) throw new Error(`${path} does not exist`)
    const answer = await call<{
      readonly preStartRequired: boolean
      readonly getPreferredAllocationAvailable: boolean
    }>(file, (handlers, callback) => handlers.devicePlugin.getDevicePluginOptions(unary({}), callback))
    if (!isRunning(startedIn) || manager === undefined) throw new Error('the kubelet has stopped')
    // A server that closed meanwhile ends its connections.
    if (directory.get(path) !== file) throw new Error('connection closed')
    const registration = manager.register(RESOURCE, {
      options: answer,
      endpoint: {
        async allocate(ids) {
          const response = await allocateCall(file, ids)
          const [first] = response.containerResponses
          if (first === undefined) throw new Error('no container response')
          return first
        },
        getPreferredAllocation: async (available, mustInclude, allocationSize) => {
          const request = { availableDeviceIDs: [...available], mustIncludeDeviceIDs: [...mustInclude], allocationSize }
          const response = await call<{ readonly containerResponses: readonly { readonly deviceIDs: string[] }[] }>(
            file,
            (handlers, callback) =>
              handlers.devicePlugin.getPreferredAllocation(unary({ containerRequests: [request] }), callback),
          )
          return response.containerResponses[0]?.deviceIDs ?? []
        },
        preStartContainer: () => Promise.resolve(),
      },
    })
    follow(path, file, registration)
  }

  function allocateCall(file: SocketFile, ids: readonly string[]) {
    return call<AllocateResponse>(file, (handlers, callback) =>
      handlers.devicePlugin.allocate(unary({ containerRequests: [{ devicesIds: [...ids] }] }), callback),
    )
  }

  function follow(path: string, file: SocketFile, registration: ReturnType<DeviceManager['register']>): void {
    const stream = new EventEmitter() as EventEmitter & {
      write(message: ListAndWatchResponse, onFlushed: () => void): void
      end(): void
    }
    let isOpen = true
    const connection: Connection = {
      path,
      file,
      close() {
        if (!isOpen) return
        isOpen = false
        connections.delete(connection)
        forget?.()
        registration.stop()
        if (file.process?.isAlive() === true) stream.emit('cancelled')
      },
    }
    const forget = file.process?.onKill(() => void clock.setTimer(random() * MAX_LATENCY_MS, () => connection.close()))
    stream.write = (message, onFlushed) => {
      clock.setTimer(random() * MAX_LATENCY_MS, () => {
        if (isOpen) registration.setDevices(message.devices)
        onFlushed()
      })
    }
    stream.end = () => void clock.setTimer(random() * MAX_LATENCY_MS, () => connection.close())
    connections.add(connection)
    file.handlers?.devicePlugin.listAndWatch(stream as never)
  }

  function discover(path: string, delayMs: number): void {
    const startedIn = epoch
    const identity = directory.get(path)?.identity
    clock.setTimer(delayMs, () => {
      if (!isRunning(startedIn) || identity === undefined || directory.get(path)?.identity !== identity) return
      const { handlers } = directory.get(path) ?? {}
      connect(path).then(
        () => handlers?.registration.notifyRegistrationStatus(unary({ pluginRegistered: true, error: '' }), () => {}),
        () => discover(path, RETRY_MS + random() * RETRY_MS),
      )
    })
  }

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
      if (isClassic) {
        for (const path of directory.paths()) directory.remove(path)
        directory.put(KUBELET_SOCKET, {})
      } else {
        for (const path of directory.paths()) discover(path, random() * DISCOVERY_MS)
      }
      endWatch = directory.watch((path) => {
        if (directory.get(path) === undefined) {
          for (const connection of connections) if (connection.path === path) connection.close()
        } else if (!isClassic) discover(path, DISCOVERY_MS)
      })
      for (const pod of pods.values()) if (pod.state === 'pending') kubelet.admit(pod, () => {})
    },
    stop({ keepsState = true } = { keepsState: true }) {
      manager = undefined
      endWatch()
      for (const connection of connections) connection.close()
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
      if (manager === undefined) throw new Error('the kubelet does not run')
      await connect(`${REGISTRY}/${endpoint}`)
    },
    admit(pod, onRefused) {
      pods.set(pod.uid, pod)
      const startedIn = epoch
      admissions = admissions.then(() => admitOne(pod, startedIn, onRefused))
    },
    remove: (uid) => void pods.delete(uid),
    pods: () => [...pods.values()],
    recorded: (uid) => manager?.allocations(uid).flatMap(({ deviceIds }) => deviceIds) ?? [],
    breakStreams() {
      for (const connection of connections) connection.close()
    },
    callPlugin(start) {
      const [connection] = connections
      return connection === undefined ? undefined : call(connection.file, start)
    },
  }
  return kubelet
}

function unary<Request>(request: Request): ServerUnaryCall<Request, never> {
  return { request } as unknown as ServerUnaryCall<Request, never>
}

function podObject(uid: string): Pod {
  const resources = { limits: { [RESOURCE]: '1' } }
  return { metadata: { name: uid, uid }, spec: { containers: [{ name: 'main', image: 'i', resources }] } }
}
