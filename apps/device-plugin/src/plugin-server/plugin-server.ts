import { errorText } from '@berth/text/error-text'
import { DevicePluginService, WatcherRegistrationService } from '@berth/kubelet-api'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { chmod } from 'node:fs/promises'
import { PluginSocketError } from '../errors.ts'
import { createPluginHandlers, type PluginHandlersOptions } from './plugin-handlers.ts'

/** A gRPC server on one socket that serves one resource for one registration. */
export interface PluginServer extends AsyncDisposable {
  readonly socketPath: string
}

/** Open calls are canceled when they have not ended by then. */
const SHUTDOWN_TIMEOUT_MS = 1000

/**
 * Serves a resource on a new socket: the device plugin API and the plugin watcher's registration API. Resolves when
 * the socket accepts calls.
 *
 * @throws PluginSocketError BERTH_DEVICE_PLUGIN_SOCKET_BIND
 */
export async function startPluginServer(
  options: PluginHandlersOptions & { readonly socketPath: string },
): Promise<PluginServer> {
  const { socketPath, clock } = options
  // A gRPC server whose bind failed cannot bind again, so each start creates a new one.
  const server = new Server({ 'grpc.enable_channelz': 0 })

  const { devicePlugin, registration, endStreams } = createPluginHandlers(options)
  server.addService(DevicePluginService, devicePlugin)
  server.addService(WatcherRegistrationService, registration)
  await bindSocket(server, socketPath)

  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      endStreams()
      await new Promise<void>((resolve) => {
        const timer = clock.setTimer(SHUTDOWN_TIMEOUT_MS, () => {
          server.forceShutdown()
          resolve()
        })
        server.tryShutdown(() => {
          timer.cancel()
          resolve()
        })
      })
    },
  }
}

async function bindSocket(server: Server, socketPath: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix://${socketPath}`, ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
    await chmod(socketPath, 0o600)
  } catch (error) {
    server.forceShutdown()
    throw new PluginSocketError(`listen on ${socketPath}: ${errorText(error)}`, {
      code: 'BERTH_DEVICE_PLUGIN_SOCKET_BIND',
      retryable: true,
      cause: error,
      hint: 'Check that the directory exists and is writable.',
    })
  }
}
