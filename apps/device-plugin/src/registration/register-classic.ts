import { DEVICE_PLUGIN_API_VERSION, RegistrationClient } from '@berth/kubelet-api'
import type { Clock } from '@berth/types'
import { credentials } from '@grpc/grpc-js'
import { RegistrationError } from '../errors.ts'

/** The kubelet dials the plugin's socket during the call, for up to 10 s. */
const REGISTER_TIMEOUT_MS = 15_000

/**
 * Registers at kubelet.sock. The plugin must already be serving.
 *
 * @param endpoint - File name of the plugin's socket, in the directory of kubelet.sock.
 * @throws RegistrationError BERTH_DEVICE_PLUGIN_REGISTER
 */
export async function registerClassic(options: {
  readonly kubeletSocket: string
  readonly endpoint: string
  readonly resourceName: string
  readonly clock: Clock
  /** Cancels the call. Without it, shutdown would wait for the call before it deletes the socket. */
  readonly signal: AbortSignal
}): Promise<void> {
  const { kubeletSocket, endpoint, resourceName, clock, signal } = options
  const client = new RegistrationClient(`unix://${kubeletSocket}`, credentials.createInsecure(), {
    'grpc.enable_channelz': 0,
  })
  const request = {
    version: DEVICE_PLUGIN_API_VERSION,
    endpoint,
    resourceName,
    options: { preStartRequired: false, getPreferredAllocationAvailable: true },
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const call = client.register(request, (error) => {
        timer.cancel()
        signal.removeEventListener('abort', cancel)
        if (error === null) resolve()
        else reject(new RegistrationError(`register ${resourceName} at ${kubeletSocket}: ${error.details}`, error))
      })
      const cancel = (): void => call.cancel()
      const timer = clock.setTimer(REGISTER_TIMEOUT_MS, cancel)
      signal.addEventListener('abort', cancel, { once: true })
      if (signal.aborted) cancel()
    })
  } finally {
    client.close()
  }
}
