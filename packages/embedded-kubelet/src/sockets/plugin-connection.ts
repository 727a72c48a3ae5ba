import { DevicePluginClient, DIAL_TIMEOUT_MS, PRE_START_CONTAINER_TIMEOUT_MS } from '@berth/kubelet-api'
import { credentials } from '@grpc/grpc-js'
import type { Clock, Logger } from '@berth/types'
import type { DevicePluginEndpoint } from '../devices/device-plugin-endpoint.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import { unaryCall } from './unary-call.ts'

/** The connection to one registered plugin. */
export interface PluginConnection {
  readonly resourceName: string
  /** Ends the stream. The devices become unhealthy. */
  close(): void
}

/**
 * Connects to a plugin's socket, reads its options (those in its registration are ignored, as upstream does), and
 * registers it as the newest plugin of the resource. `follow` opens ListAndWatch. A stream that ends is not reopened.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/plugin/v1beta1/client.go (v1.36)
 */
export async function connectPlugin(options: {
  readonly socketPath: string
  readonly resourceName: string
  readonly devices: DeviceManager
  readonly clock: Clock
  readonly log: Logger
  readonly onClosed: (connection: PluginConnection) => void
}): Promise<{ readonly connection: PluginConnection; follow(): void }> {
  const { socketPath, resourceName, devices, clock, log, onClosed } = options
  const client = new DevicePluginClient(`unix://${socketPath}`, credentials.createInsecure(), {
    'grpc.enable_channelz': 0,
  })
  const endpoint: DevicePluginEndpoint = {
    async allocate(deviceIds) {
      const request = { containerRequests: [{ devicesIds: [...deviceIds] }] }
      const { containerResponses } = await unaryCall(client.allocate.bind(client), request, { clock })
      const [first] = containerResponses
      if (first === undefined) throw new Error('no containers return in allocation response')
      return first
    },
    async getPreferredAllocation(available, mustInclude, size) {
      const request = {
        containerRequests: [
          { availableDeviceIDs: [...available], mustIncludeDeviceIDs: [...mustInclude], allocationSize: size },
        ],
      }
      const answer = await unaryCall(client.getPreferredAllocation.bind(client), request, { clock })
      return answer.containerResponses[0]?.deviceIDs ?? []
    },
    async preStartContainer(deviceIds) {
      const request = { devicesIds: [...deviceIds] }
      const timeoutMs = PRE_START_CONTAINER_TIMEOUT_MS
      await unaryCall(client.preStartContainer.bind(client), request, { clock, timeoutMs })
    },
  }

  let optionsOfPlugin
  try {
    const call = client.getDevicePluginOptions.bind(client)
    optionsOfPlugin = await unaryCall(call, {}, { clock, timeoutMs: DIAL_TIMEOUT_MS })
  } catch (error) {
    client.close()
    throw error
  }
  const registration = devices.register(resourceName, { endpoint, options: optionsOfPlugin })
  let cancel = (): void => {}
  let isClosed = false
  const connection: PluginConnection = {
    resourceName,
    close() {
      if (isClosed) return
      isClosed = true
      cancel()
      client.close()
      registration.stop()
      onClosed(connection)
    },
  }
  return {
    connection,
    follow() {
      if (isClosed) return
      const stream = client.listAndWatch({})
      cancel = () => stream.cancel()
      stream.on('data', ({ devices: list }) => registration.setDevices(list))
      stream.on('error', (error: Error) => {
        if (!isClosed) log.warn({ err: error, resourceName }, 'Device plugin stream failed')
        connection.close()
      })
      stream.on('end', () => connection.close())
    },
  }
}
