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
  /** Where it listens, as this process sees it. */
  readonly socket: string
  readonly resourceName: string
  /** What GetInfo answers as its endpoint: the same path as the kubelet sees it. */
  readonly endpoint: string
  readonly devices: readonly string[]
  /** Ids that it prefers; without it it has no opinion to offer. */
  readonly prefers?: readonly string[]
  readonly wantsPreStart?: boolean
  /** NUMA nodes of every device. */
  readonly numaNodes?: readonly number[]
}

/** A device plugin whose answers the case controls. It records the calls it gets. */
export interface ScriptedPlugin {
  /** Returns the calls since the last take, in order; ids as a sorted list. */
  takeCalls(): readonly unknown[]
  /** Streams that are open at present. */
  readonly streams: number
  /** Says a new list; ids with `!` before them are unhealthy. */
  list(devices: readonly string[]): void
  /** Allocate fails from now on with these words; undefined: it works again. */
  refuse(words: string | undefined): void
  /** Ends every ListAndWatch; the server goes on. */
  endStreams(): void
  stop(): void
}

const environment = (ids: readonly string[]): Record<string, string> => ({ DEVICES: ids.toSorted().join(',') })

/** Starts one. */
export async function startScriptedPlugin(options: ScriptedPluginOptions): Promise<ScriptedPlugin> {
  const { socket, resourceName, endpoint, prefers, wantsPreStart = false, numaNodes } = options
  const calls: unknown[] = []
  const streams = new Set<ServerWritableStream<unknown, ListAndWatchResponse>>()
  let devices = options.devices
  let refusal: string | undefined
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
      const [asked] = call.request.containerRequests
      const { availableDeviceIDs = [], mustIncludeDeviceIDs = [], allocationSize = 0 } = asked ?? {}
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
      const asked = call.request.containerRequests.map(({ devicesIds }) => devicesIds)
      calls.push({ Allocate: asked.map((ids) => ids.length) })
      if (refusal !== undefined) return callback({ code: status.UNKNOWN, details: refusal })
      callback(null, {
        containerResponses: asked.map((ids) => ({
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
    list(next) {
      devices = next
      for (const stream of streams) stream.write(message())
    },
    refuse(words) {
      refusal = words
    },
    endStreams() {
      for (const stream of streams) stream.end()
      streams.clear()
    },
    stop: () => server.forceShutdown(),
  }
}
