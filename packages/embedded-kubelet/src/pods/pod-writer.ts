import { pause } from '@berth/clock'
import type { Clock, Pod } from '@berth/types'
import { KubeletApiError } from '../api/kubelet-api-error.ts'
import type { KubeletPodStatus } from './pod-status.ts'
import type { Rest } from '../api/rest.ts'

const ATTEMPTS = 30
const RETRY_MS = 1000

/** Writes about pods of one kubelet. */
export interface PodWriter {
  /** Sends again what fails for a while; that the pod is gone or another one is no failure. */
  readonly persistently: (request: () => Promise<unknown>) => Promise<void>
  /** Where the API has the pod. */
  readonly pathOf: (pod: Pod) => string
  readonly writeStatus: (pod: Pod, status: KubeletPodStatus) => Promise<void>
}

/** Writes until the signal aborts. */
export function createPodWriter(rest: Rest, clock: Clock, signal: AbortSignal): PodWriter {
  async function persistently(request: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await request()
        return
      } catch (error) {
        // Gone or replaced by a namesake: nothing left to say.
        if (error instanceof KubeletApiError && (error.status === 404 || error.status === 409)) return
        if (attempt === ATTEMPTS || (error instanceof KubeletApiError && !error.retryable)) throw error
        await pause(clock, RETRY_MS, signal)
      }
    }
  }

  function pathOf(pod: Pod): string {
    const { namespace = 'default', name = '' } = pod.metadata
    return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
  }

  return {
    persistently,
    pathOf,
    writeStatus: (pod, status) =>
      persistently(() => rest.send('PATCH', `${pathOf(pod)}/status`, { metadata: { uid: pod.metadata.uid }, status })),
  }
}
