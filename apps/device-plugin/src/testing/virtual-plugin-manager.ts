import type { AllocateResponse, ListAndWatchResponse, PreferredAllocationResponse } from '@berth/kubelet-api'
import type { DeviceManager } from '@berth/simulator'
import type { Clock, Random } from '@berth/types'
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js'
import { EventEmitter } from 'node:events'
import type { PluginHandlers } from '../plugin-server/plugin-handlers.ts'
import type { SocketDirectory, SocketFile } from './virtual-sockets.ts'

/** The directory of the plugins' sockets on a virtual node. */
export const REGISTRY = '/registry'
/** The kubelet's socket for classic registration. */
export const KUBELET_SOCKET = `${REGISTRY}/kubelet.sock`
const MAX_LATENCY_MS = 20
/** The plugin watcher calls a new socket after this time. */
const DISCOVERY_MS = 250
const RETRY_MS = 1_000

/** The part of a kubelet that finds device plugins and calls them, in memory. It lasts from one start of the kubelet to its stop. */
export interface VirtualPluginManager extends Disposable {
  /** The classic Register call. */
  register(endpoint: string): Promise<void>
  /** Breaks the streams as a network does: both sides see the end. */
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

/** Starts to look for plugins. With classic registration, it first removes all sockets, as a kubelet does. */
export function startVirtualPluginManager(options: {
  readonly directory: SocketDirectory
  readonly isClassic: boolean
  readonly devices: DeviceManager
  readonly clock: Clock
  readonly random: Random
}): VirtualPluginManager {
  const { directory, isClassic, devices, clock, random } = options
  const connections = new Set<Connection>()
  let isStopped = false

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
    if (file?.handlers === undefined) throw new Error(`${path} does not exist`)
    const answer = await call<{
      readonly preStartRequired: boolean
      readonly getPreferredAllocationAvailable: boolean
    }>(file, (handlers, callback) => handlers.devicePlugin.getDevicePluginOptions(unary({}), callback))
    if (isStopped) throw new Error('the kubelet has stopped')
    // A server that closed meanwhile ends its connections.
    if (directory.get(path) !== file) throw new Error('connection closed')
    const registration = devices.register(file.resourceName ?? '', {
      options: answer,
      endpoint: {
        async allocate(ids) {
          const request = { containerRequests: [{ devicesIds: [...ids] }] }
          const response = await call<AllocateResponse>(file, (handlers, callback) =>
            handlers.devicePlugin.allocate(unary(request), callback),
          )
          const [first] = response.containerResponses
          if (first === undefined) throw new Error('no container response')
          return first
        },
        getPreferredAllocation: async (available, mustInclude, allocationSize) => {
          const wanted = { availableDeviceIDs: [...available], mustIncludeDeviceIDs: [...mustInclude], allocationSize }
          const response = await call<PreferredAllocationResponse>(file, (handlers, callback) =>
            handlers.devicePlugin.getPreferredAllocation(unary({ containerRequests: [wanted] }), callback),
          )
          return response.containerResponses[0]?.deviceIDs ?? []
        },
        preStartContainer: () => Promise.resolve(),
      },
    })
    follow(path, file, registration)
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
    const identity = directory.get(path)?.identity
    clock.setTimer(delayMs, () => {
      if (isStopped || identity === undefined || directory.get(path)?.identity !== identity) return
      const { handlers } = directory.get(path) ?? {}
      connect(path).then(
        () => handlers?.registration.notifyRegistrationStatus(unary({ pluginRegistered: true, error: '' }), () => {}),
        () => discover(path, RETRY_MS + random() * RETRY_MS),
      )
    })
  }

  if (isClassic) {
    for (const path of directory.paths()) directory.remove(path)
    directory.put(KUBELET_SOCKET, {})
  } else {
    for (const path of directory.paths()) discover(path, random() * DISCOVERY_MS)
  }
  const endWatch = directory.watch((path) => {
    if (directory.get(path) === undefined) {
      for (const connection of connections) if (connection.path === path) connection.close()
    } else if (!isClassic) discover(path, DISCOVERY_MS)
  })

  return {
    register: (endpoint) => connect(`${REGISTRY}/${endpoint}`),
    breakStreams() {
      for (const connection of connections) connection.close()
    },
    callPlugin(start) {
      const [connection] = connections
      return connection === undefined ? undefined : call(connection.file, start)
    },
    [Symbol.dispose]() {
      isStopped = true
      endWatch()
      for (const connection of connections) connection.close()
    },
  }
}

function unary<Request>(request: Request): ServerUnaryCall<Request, never> {
  return { request } as unknown as ServerUnaryCall<Request, never>
}
