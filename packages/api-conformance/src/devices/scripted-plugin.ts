import {
  DEVICE_PLUGIN_API_VERSION,
  DEVICE_PLUGIN_TYPE,
  DevicePluginService,
  HEALTHY,
  UNHEALTHY,
  WatcherRegistrationService,
  type AllocateRequest,
  type Device,
  type DevicePluginServer,
  type ListAndWatchResponse,
  type PreferredAllocationRequest,
  type WatcherRegistrationServer,
} from '@berth/kubelet-api'
import { Server, ServerCredentials, status, type ServerWritableStream } from '@grpc/grpc-js'

/** How a scripted plugin listens and answers. */
export interface ScriptedPluginOptions {
  /** Path of its socket in this process. */
  readonly socket: string
  readonly resourceName: string
  /** Endpoint in the GetInfo response: the path of the socket for the kubelet. */
  readonly endpoint: string
  readonly devices: readonly string[]
  /** Preferred ids. Without them the plugin does not offer GetPreferredAllocation. */
  readonly prefers?: readonly string[]
  readonly wantsPreStart?: boolean
  /** NUMA nodes of every device. */
  readonly numaNodes?: readonly number[]
}

/** A device plugin whose answers the case controls. It records the calls it gets. */
export interface ScriptedPlugin {
  /** Returns the calls since the last take, in order; ids as a sorted list. */
  takeCalls(): readonly unknown[]
  /** Number of open ListAndWatch streams. */
  readonly streams: number
  /** Sends a new list. An id that starts with `!` is unhealthy. */
  setDevices(devices: readonly string[]): void
  /** Makes Allocate fail with this message; undefined makes it succeed again. */
  failAllocate(message: string | undefined): void
  /** Ends every ListAndWatch stream, but keeps the server running. */
  endStreams(): void
  stop(): void
}

const environment = (ids: readonly string[]): Record<string, string> => ({ DEVICES: ids.toSorted().join(',') })

/** Starts a plugin on its socket. */
export async function startScriptedPlugin(options: ScriptedPluginOptions): Promise<ScriptedPlugin> {
  const { socket, resourceName, endpoint, prefers, wantsPreStart = false, numaNodes } = options
  const calls: unknown[] = []
  const streams = new Set<ServerWritableStream<unknown, ListAndWatchResponse>>()
  let devices = options.devices
  let allocateError: string | undefined
  const topology = numaNodes === undefined ? undefined : { nodes: numaNodes.map((ID) => ({ ID })) }
  const message = (): ListAndWatchResponse => ({
    devices: devices.map((id): Device => {
      const health = id.startsWith('!') ? UNHEALTHY : HEALTHY
      return { ID: id.replace('!', ''), health, topology }
    }),
  })

  const service: DevicePluginServer = {
    getDevicePluginOptions(_, callback) {
      calls.push('GetDevicePluginOptions')
      callback(null, { preStartRequired: wantsPreStart, getPreferredAllocationAvailable: prefers !== undefined })
    },
    listAndWatch(stream) {
      calls.push('ListAndWatch')
      streams.add(stream)
      stream.once('cancelled', () => streams.delete(stream))
      stream.write(message())
    },
    getPreferredAllocation(call: { readonly request: PreferredAllocationRequest }, callback) {
      const [requested] = call.request.containerRequests
      const { availableDeviceIDs = [], mustIncludeDeviceIDs = [], allocationSize = 0 } = requested ?? {}
      calls.push({
        GetPreferredAllocation: {
          available: availableDeviceIDs.toSorted(),
          mustInclude: mustIncludeDeviceIDs.toSorted(),
          size: allocationSize,
        },
      })
      callback(null, { containerResponses: [{ deviceIDs: [...(prefers ?? [])] }] })
    },
    allocate(call: { readonly request: AllocateRequest }, callback) {
      const requested = call.request.containerRequests.map(({ devicesIds }) => devicesIds)
      calls.push({ Allocate: requested.map((ids) => ids.length) })
      if (allocateError !== undefined) return callback({ code: status.UNKNOWN, details: allocateError })
      callback(null, {
        containerResponses: requested.map((ids) => ({
          envs: environment(ids),
          mounts: [],
          devices: [],
          annotations: {},
          cdiDevices: [],
        })),
      })
    },
    preStartContainer(call, callback) {
      calls.push({ PreStartContainer: call.request.devicesIds.length })
      callback(null, {})
    },
  }
  const registration: WatcherRegistrationServer = {
    getInfo(_, callback) {
      calls.push('GetInfo')
      const supportedVersions = [DEVICE_PLUGIN_API_VERSION]
      callback(null, { type: DEVICE_PLUGIN_TYPE, name: resourceName, endpoint, supportedVersions })
    },
    notifyRegistrationStatus(call, callback) {
      calls.push({ NotifyRegistrationStatus: call.request.pluginRegistered })
      callback(null, {})
    },
  }
  const server = new Server()
  server.addService(DevicePluginService, service)
  server.addService(WatcherRegistrationService, registration)
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    )
  })
  return {
    takeCalls: () => calls.splice(0),
    get streams() {
      return streams.size
    },
    setDevices(next) {
      devices = next
      for (const stream of streams) stream.write(message())
    },
    failAllocate(errorMessage) {
      allocateError = errorMessage
    },
    endStreams() {
      for (const stream of streams) stream.end()
      streams.clear()
    },
    stop: () => server.forceShutdown(),
  }
}
