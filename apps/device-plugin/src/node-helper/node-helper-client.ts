import { withDeadline } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { Clock } from '@berth/types'
import { request, type RequestOptions } from 'node:http'
import type { CdiDevice } from '../cdi/cdi-devices.ts'
import { NodeHelperError } from '../errors.ts'
import { podDevices, type PodDevices } from './pod-devices.ts'

/** Less than the timeout of an allocation, which waits for it. */
const CALL_TIMEOUT_MS = 5_000

/** The node helper, as the device plugin calls it. */
export interface NodeHelper {
  /**
   * Writes the CDI file of a class.
   *
   * @throws NodeHelperError BERTH_DEVICE_PLUGIN_NODE_HELPER
   */
  putCdi(className: string, devices: readonly CdiDevice[]): Promise<void>
  /**
   * Lists the devices that containers hold, of every resource.
   *
   * @throws NodeHelperError BERTH_DEVICE_PLUGIN_NODE_HELPER
   */
  listPodDevices(): Promise<readonly PodDevices[]>
}

/** Creates a client. It connects for each call, because the helper may restart. */
export function createNodeHelperClient(socketPath: string, clock: Clock): NodeHelper {
  async function call(method: string, path: string, body?: string): Promise<string> {
    const failed = (reason: string, cause?: unknown): NodeHelperError =>
      new NodeHelperError(`call the node helper at ${socketPath} (${method} ${path}): ${reason}`, {
        ...(cause !== undefined && { cause }),
        hint: 'Check that it runs: it is the container node-helper of the pod, or device-plugin node-helper.',
      })
    const { status, text } = await withDeadline({ clock, deadlineMs: CALL_TIMEOUT_MS }, (signal) =>
      exchange({ socketPath, method, path, agent: false, signal }, body),
    ).catch((error: unknown) => {
      throw failed(errorText(error), error)
    })
    if (status >= 300) throw failed(`${status} ${text.trim()}`)
    return text
  }

  return {
    async putCdi(className, devices) {
      await call('PUT', `/cdi/${className}`, JSON.stringify(devices))
    },
    listPodDevices: async () => podDevices.parse(JSON.parse(await call('GET', '/pod-devices'))),
  }
}

function exchange(
  options: RequestOptions,
  body: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    call.once('error', reject)
    call.end(body)
  })
}
