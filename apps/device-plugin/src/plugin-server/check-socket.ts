import { DevicePluginClient } from '@berth/kubelet-api'
import { errorText } from '@berth/text/error-text'
import { credentials } from '@grpc/grpc-js'

/**
 * Calls GetDevicePluginOptions on the plugin's own socket, as the kubelet does.
 *
 * @param signal - Cancels the call.
 * @returns Why the call failed; undefined when the socket answered.
 */
export async function checkSocket(socketPath: string, signal: AbortSignal): Promise<string | undefined> {
  const client = new DevicePluginClient(`unix://${socketPath}`, credentials.createInsecure(), {
    'grpc.enable_channelz': 0,
  })
  try {
    return await new Promise<string | undefined>((resolve) => {
      const call = client.getDevicePluginOptions({}, (error) => {
        resolve(error === null ? undefined : `${socketPath} does not answer: ${errorText(error)}`)
      })
      signal.addEventListener('abort', () => call.cancel(), { once: true })
    })
  } finally {
    client.close()
  }
}
