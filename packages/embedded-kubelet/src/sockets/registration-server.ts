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

/** Connects a plugin that registered; resolves once its options are known. `follow` opens ListAndWatch. */
export type Connect = (
  resourceName: string,
  socketPath: string,
) => Promise<{ readonly connection: { close(): void }; follow(): void }>

/**
 * Serves classic registration on `<dir>/kubelet.sock`, after removing every socket that an earlier life or a plugin
 * left there; regular files and sub-directories stay.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go (v1.36)
 */
export async function serveRegistration(dir: string, connect: Connect): Promise<AsyncDisposable> {
  await mkdir(dir, { recursive: true })
  const isSocket = (entry: Dirent): boolean => entry.isSocket()
  for (const entry of (await readdir(dir, { withFileTypes: true })).filter(isSocket)) {
    // A plugin may be faster.
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
      const refusal = refusalOf(call.request)
      if (refusal !== undefined) {
        callback({ code: status.UNKNOWN, details: refusal })
        return
      }
      void dialBack(call.request, callback)
    },
  }
  return serveUnixSocket(join(dir, KUBELET_SOCKET_NAME), (server) =>
    server.addService(RegistrationService, implementation),
  )
}

/** Why a plugin is not accepted; undefined: it is. */
export function refusalOf(request: Pick<RegisterRequest, 'version' | 'resourceName'>): string | undefined {
  if (request.version !== DEVICE_PLUGIN_API_VERSION) {
    return `requested API version "${request.version}" is not supported by kubelet. Supported version is ["${DEVICE_PLUGIN_API_VERSION}"]`
  }
  if (!isExtendedResourceName(request.resourceName)) return `the ResourceName "${request.resourceName}" is invalid`
  return undefined
}
