import { KUBELET_SOCKET_NAME, PodResourcesListerClient, type ListPodResourcesResponse } from '@berth/kubelet-api'
import { credentials } from '@grpc/grpc-js'
import { join } from 'node:path'
import { z } from 'zod'

/** The devices that one container holds, as the node helper reports them. */
export const podDevices = z.array(
  z.strictObject({
    namespace: z.string(),
    pod: z.string(),
    container: z.string(),
    resourceName: z.string(),
    ids: z.array(z.string()),
  }),
)

/** The devices of one resource that one container holds. */
export type PodDevices = z.output<typeof podDevices>[number]

/** With 250 pods on a node, the response has about 200 KB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

/**
 * Lists the devices that the kubelet has given to containers.
 *
 * @param directory - The kubelet's pod-resources directory.
 * @param signal - Cancels the call.
 * @throws The error of the call.
 */
export async function listPodDevices(directory: string, signal: AbortSignal): Promise<readonly PodDevices[]> {
  const client = new PodResourcesListerClient(
    `unix://${join(directory, KUBELET_SOCKET_NAME)}`,
    credentials.createInsecure(),
    { 'grpc.enable_channelz': 0, 'grpc.max_receive_message_length': MAX_RESPONSE_BYTES },
  )
  try {
    const response = await new Promise<ListPodResourcesResponse>((resolve, reject) => {
      const call = client.list({}, (error, answer) => (error === null ? resolve(answer) : reject(error)))
      signal.addEventListener('abort', () => call.cancel(), { once: true })
    })
    return toPodDevices(response)
  } finally {
    client.close()
  }
}

/** Merges the entries of each container and resource. The kubelet repeats an id for each of its NUMA nodes. */
export function toPodDevices({ podResources }: ListPodResourcesResponse): readonly PodDevices[] {
  return podResources.flatMap(({ name: pod, namespace, containers }) =>
    containers.flatMap(({ name: container, devices }) => {
      const idsByResource = new Map<string, Set<string>>()
      for (const { resourceName, deviceIds } of devices) {
        const ids = idsByResource.get(resourceName) ?? new Set()
        for (const id of deviceIds) ids.add(id)
        idsByResource.set(resourceName, ids)
      }
      return [...idsByResource].map(([resourceName, ids]) => ({
        namespace,
        pod,
        container,
        resourceName,
        ids: [...ids].sort(),
      }))
    }),
  )
}
