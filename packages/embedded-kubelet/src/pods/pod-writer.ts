import { pause } from '@berth/clock'
import type { Clock, Pod } from '@berth/types'
import { KubeletApiError } from '../api/kubelet-api-error.ts'
import type { ApiClient } from '../api/api-client.ts'
import type { KubeletPodStatus } from './pod-status.ts'

const MAX_ATTEMPTS = 30
const RETRY_MS = 1000

/** Writes pods to the API server. Retries failed requests; does nothing when the pod is gone or was replaced. */
export interface PodWriter {
  readonly writeStatus: (pod: Pod, status: KubeletPodStatus) => Promise<void>
  readonly deletePod: (pod: Pod) => Promise<void>
}

/** Creates a writer that works until the signal aborts. */
export function createPodWriter(api: ApiClient, clock: Clock, signal: AbortSignal): PodWriter {
  async function retry(request: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await request()
        return
      } catch (error) {
        // The pod is gone, or a pod with the same name replaced it.
        if (error instanceof KubeletApiError && (error.status === 404 || error.status === 409)) return
        if (attempt === MAX_ATTEMPTS || (error instanceof KubeletApiError && !error.retryable)) throw error
        await pause(clock, RETRY_MS, signal)
      }
    }
  }

  return {
    writeStatus: (pod, status) =>
      retry(() => api.send('PATCH', `${pathOf(pod)}/status`, { metadata: { uid: pod.metadata.uid }, status })),
    deletePod: (pod) =>
      retry(() =>
        api.send('DELETE', pathOf(pod), {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          gracePeriodSeconds: 0,
          preconditions: { uid: pod.metadata.uid },
        }),
      ),
  }
}

function pathOf({ metadata: { namespace = 'default', name = '' } }: Pod): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
}
