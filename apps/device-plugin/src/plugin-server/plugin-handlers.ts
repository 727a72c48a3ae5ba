import { errorText } from '@berth/text/error-text'
import {
  DEVICE_PLUGIN_API_VERSION,
  DEVICE_PLUGIN_TYPE,
  type AllocateResponse,
  type ContainerAllocateResponse,
  type DevicePluginServer,
  type PreferredAllocationRequest,
  type PreferredAllocationResponse,
  type PreStartContainerResponse,
  type WatcherRegistrationServer,
} from '@berth/kubelet-api'
import type { DeviceSource } from '@berth/plugin-api'
import type { Clock, Logger } from '@berth/types'
import { status, type sendUnaryData } from '@grpc/grpc-js'
import type { ContainerConfig } from '../container/container-config.ts'
import { needsPreStart, preStart, type PreStartHooks } from '../container/pre-start.ts'
import { allocate, presentDevices } from './allocate.ts'
import { streamDeviceLists } from './stream-device-lists.ts'
import type { DeviceTable } from '../devices/device-table.ts'
import { DeviceRequestError } from '../errors.ts'
import { preferredAllocation } from './preferred-allocation/preferred-allocation.ts'
import type { AllocationPolicy } from './preferred-allocation/take-by-policy.ts'

/** Callbacks of a plugin server. */
export interface PluginServerEvents {
  /** Called with the number of open ListAndWatch streams after each change. */
  onStreamsChanged(open: number): void
  /** Called with the plugin watcher's registration result: an error text, or undefined for success. */
  onRegistrationStatus(error: string | undefined): void
  onAllocated(isGranted: boolean): void
  /** Called after each PreStartContainer. */
  onPreStarted?(isPrepared: boolean): void
  onListSent(): void
}

/** The source, devices and settings from which a plugin server answers. */
export interface PluginHandlersOptions {
  readonly resourceName: string
  readonly table: DeviceTable
  readonly source: Pick<DeviceSource, 'allocate'>
  /** Returns what the configuration gives to every container, which a new configuration may change. */
  readonly container?: () => ContainerConfig | undefined
  /** Returns what runs before a container starts. Read for each call; whether it is needed, when the kubelet registers. */
  readonly preStart?: () => PreStartHooks
  /** Returns the policy, which a new configuration may change. */
  readonly allocationPolicy: () => AllocationPolicy
  readonly clock: Clock
  readonly log: Logger
  readonly events: PluginServerEvents
}

/** The calls of the kubelet for one registration of a resource. */
export interface PluginHandlers {
  readonly devicePlugin: DevicePluginServer
  readonly registration: WatcherRegistrationServer
  /** Ends the open streams, after a list that is still waiting. */
  readonly endStreams: () => void
}

/** Creates the handlers of the device plugin API and of the plugin watcher's registration API. */
export function createPluginHandlers(options: PluginHandlersOptions): PluginHandlers {
  const { resourceName, table, source, container, allocationPolicy, clock, log, events } = options
  const preStartHooks = options.preStart ?? (() => ({ source: {} }))
  /** Ends each open stream. */
  const openStreams = new Set<() => void>()

  async function handleAllocate(
    ids: readonly (readonly string[])[],
    callback: sendUnaryData<AllocateResponse>,
  ): Promise<void> {
    try {
      const containerResponses: ContainerAllocateResponse[] = []
      for (const each of ids) {
        const response = await allocate(resourceName, each, { table, source, container: container?.(), clock })
        containerResponses.push(response)
      }
      events.onAllocated(true)
      log.debug({ resourceName, deviceIds: ids.flat() }, 'Allocated devices')
      callback(null, { containerResponses })
    } catch (error) {
      events.onAllocated(false)
      log.warn({ err: error, resourceName }, 'Refused an allocation')
      callback(toGrpcError(error))
    }
  }

  async function prefer(
    { containerRequests }: PreferredAllocationRequest,
    callback: sendUnaryData<PreferredAllocationResponse>,
  ): Promise<void> {
    try {
      const containerResponses = []
      for (const {
        availableDeviceIDs: available,
        mustIncludeDeviceIDs: mustInclude,
        allocationSize: size,
      } of containerRequests) {
        const request = { available, mustInclude, size }
        const deviceIDs = await preferredAllocation(request, {
          inventory: table.list() ?? [],
          policy: allocationPolicy(),
        })
        containerResponses.push({ deviceIDs: [...deviceIDs] })
      }
      callback(null, { containerResponses })
    } catch (error) {
      // An error would fail the pod. Without a preference the kubelet chooses.
      log.error({ err: error, resourceName }, 'Could not choose a preferred allocation')
      callback(null, { containerResponses: containerRequests.map(() => ({ deviceIDs: [] })) })
    }
  }

  async function prepare(ids: readonly string[], callback: sendUnaryData<PreStartContainerResponse>): Promise<void> {
    try {
      const inventory = table.list() ?? []
      const devices = presentDevices(`prepare ${resourceName}`, ids, table)
      await preStart(resourceName, devices, { ...preStartHooks(), inventory, clock })
      events.onPreStarted?.(true)
      callback(null, {})
    } catch (error) {
      events.onPreStarted?.(false)
      log.warn({ err: error, resourceName }, 'Could not prepare the devices of a container')
      callback(toGrpcError(error))
    }
  }

  const devicePlugin: DevicePluginServer = {
    getDevicePluginOptions(_call, callback) {
      callback(null, { preStartRequired: needsPreStart(preStartHooks()), getPreferredAllocationAvailable: true })
    },
    listAndWatch(stream) {
      const stopSending = streamDeviceLists({ stream, table, clock, onSent: () => events.onListSent() })
      const endStream = (): void => {
        stopSending({ flushes: true })
        stream.end()
      }
      const forget = (): void => {
        stopSending({ flushes: false })
        if (openStreams.delete(endStream)) events.onStreamsChanged(openStreams.size)
      }
      openStreams.add(endStream)
      stream.on('cancelled', forget)
      stream.on('error', forget)
      events.onStreamsChanged(openStreams.size)
    },
    getPreferredAllocation(call, callback) {
      void prefer(call.request, callback)
    },
    allocate(call, callback) {
      const ids = call.request.containerRequests.map(({ devicesIds }) => devicesIds)
      void handleAllocate(ids, callback)
    },
    preStartContainer(call, callback) {
      void prepare(call.request.devicesIds, callback)
    },
  }
  const registration: WatcherRegistrationServer = {
    getInfo(_call, callback) {
      // An empty endpoint makes the kubelet use the socket of this call. This process may see it under another path.
      callback(null, {
        type: DEVICE_PLUGIN_TYPE,
        name: resourceName,
        endpoint: '',
        supportedVersions: [DEVICE_PLUGIN_API_VERSION],
      })
    },
    notifyRegistrationStatus(call, callback) {
      const { pluginRegistered, error } = call.request
      events.onRegistrationStatus(pluginRegistered ? undefined : error)
      callback(null, {})
    },
  }
  return {
    devicePlugin,
    registration,
    endStreams() {
      for (const endStream of openStreams) endStream()
      openStreams.clear()
      events.onStreamsChanged(0)
    },
  }
}

function toGrpcError(error: unknown): { readonly code: status; readonly details: string } {
  const details = errorText(error)
  if (!(error instanceof DeviceRequestError)) return { code: status.INTERNAL, details }
  const codes = new Map([
    ['BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE', status.NOT_FOUND],
    ['BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE', status.FAILED_PRECONDITION],
  ])
  return { code: codes.get(error.code) ?? status.INTERNAL, details }
}
