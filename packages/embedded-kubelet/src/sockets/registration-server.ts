import {
  DEVICE_PLUGIN_API_VERSION,
  KUBELET_SOCKET_NAME,
  RegistrationService,
  type Empty,
  type RegisterRequest,
  type RegistrationServer,
} from '@berth/kubelet-api'
import { status, type sendUnaryData } from '@grpc/grpc-js'
import { isExtendedResourceName } from '@berth/resources'
import type { Dirent } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { serveUnixSocket } from './unix-socket.ts'

/** Connects to a registered plugin. Resolves once its options are known; `follow` opens ListAndWatch. */
export type ConnectPlugin = (
  resourceName: string,
  socketPath: string,
) => Promise<{ readonly connection: { close(): void }; follow(): void }>

/**
 * Serves classic registration on `<dir>/kubelet.sock`. First removes all sockets from the directory, but not regular
 * files or subdirectories.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go (v1.36)
 */
export async function serveRegistration(dir: string, connect: ConnectPlugin): Promise<AsyncDisposable> {
  await mkdir(dir, { recursive: true })
  const isSocket = (entry: Dirent): boolean => entry.isSocket()
  for (const entry of (await readdir(dir, { withFileTypes: true })).filter(isSocket)) {
    // A plugin may remove its socket first.
    await rm(join(dir, entry.name), { force: true })
  }

  async function dialBack(request: RegisterRequest, callback: sendUnaryData<Empty>): Promise<void> {
    try {
      const plugin = await connect(request.resourceName, join(dir, request.endpoint))
      callback(null, {})
      plugin.follow()
    } catch (error) {
      callback({ code: status.UNKNOWN, details: `dial device plugin: ${String(error)}` })
    }
  }

  const implementation: RegistrationServer = {
    register(call, callback) {
      const problem = registrationError(call.request)
      if (problem !== undefined) {
        callback({ code: status.UNKNOWN, details: problem })
        return
      }
      void dialBack(call.request, callback)
    },
  }
  return serveUnixSocket(join(dir, KUBELET_SOCKET_NAME), (server) =>
    server.addService(RegistrationService, implementation),
  )
}

/** Returns why a registration is rejected; undefined when it is accepted. */
export function registrationError(request: Pick<RegisterRequest, 'version' | 'resourceName'>): string | undefined {
  if (request.version !== DEVICE_PLUGIN_API_VERSION) {
    return `requested API version "${request.version}" is not supported by kubelet. Supported version is ["${DEVICE_PLUGIN_API_VERSION}"]`
  }
  if (!isExtendedResourceName(request.resourceName)) return `the ResourceName "${request.resourceName}" is invalid`
  return undefined
}
