import { MAX_SOCKET_PATH_BYTES } from '@berth/kubelet-api'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { KubeletSocketError } from './kubelet-socket-error.ts'

/**
 * Checks that a unix socket can have this path.
 *
 * @throws KubeletSocketError when the path is longer than the kernel's limit.
 */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path)
  if (bytes <= MAX_SOCKET_PATH_BYTES) return
  throw new KubeletSocketError(
    `listen on ${path}: the path has ${bytes} bytes, the limit of a unix socket is ${MAX_SOCKET_PATH_BYTES}`,
    {
      code: 'BERTH_SIMULATOR_SOCKET_PATH',
      hint: 'Choose a shorter directory for the simulated kubelets.',
    },
  )
}

/** Serves gRPC on a unix socket. `addServices` adds the services to the server. */
export async function serveUnixSocket(path: string, addServices: (server: Server) => void): Promise<AsyncDisposable> {
  checkSocketPath(path)
  const server = new Server({ 'grpc.enable_channelz': 0 })
  addServices(server)
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${path}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) return resolve()
      reject(
        new KubeletSocketError(`listen on ${path}: ${error.message}`, {
          code: 'BERTH_SIMULATOR_SOCKET_BIND',
          cause: error,
        }),
      )
    })
  })
  return {
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
    },
  }
}
