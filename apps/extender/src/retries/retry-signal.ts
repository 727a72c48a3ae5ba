import { createBackoff, pause } from '@berth/clock'
import { type ApiClient, type ObjectName, resourceRefs } from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'

/** Dependencies of {@link createRetrySignal}. */
export interface RetrySignalOptions {
  readonly client: Pick<ApiClient, 'patch'>
  /** The CSIStorageCapacity object that is changed. It must exist. */
  readonly object: ObjectName
  /** Called after each signal that reached the API server, and after each failure. */
  readonly onResult: (result: 'sent' | 'failed') => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Makes kube-scheduler retry the pods that extenders rejected. Disposing it drops a signal that is not sent yet. */
export interface RetrySignal extends AsyncDisposable {
  /** Sends a signal soon. Several requests within a second are one signal. */
  request(): void
}

/** Annotation that the signal changes. Its value is the time of the signal. */
const RETRY_ANNOTATION = 'berth.dev/retry'

/** Minimum time between two signals, milliseconds: each makes kube-scheduler retry every pod that an extender rejected. */
const INTERVAL_MS = 1_000
const DEADLINE_MS = 5_000

/**
 * Creates a signal for kube-scheduler. An extender cannot wake a pod: kube-scheduler (v1.36, `findNodesThatPassExtenders`)
 * retries a pod that an extender rejected after any event of an object that it watches. Of these objects, a
 * CSIStorageCapacity of a storage class that does not exist is the one without any other effect.
 */
export function createRetrySignal(options: RetrySignalOptions): RetrySignal {
  const { client, object, onResult, clock, random, log } = options
  const stop = new AbortController()
  const backoff = createBackoff({
    initialMs: INTERVAL_MS,
    maxMs: 30_000,
    jitter: 0.5,
    resetAfterMs: 60_000,
    clock,
    random,
  })
  let isRequested = false
  let sending: Promise<void> | undefined

  const send = async (): Promise<void> => {
    const annotations = { [RETRY_ANNOTATION]: new Date(clock.now()).toISOString() }
    const patch = { metadata: { annotations } }
    await client.patch(resourceRefs.csiStorageCapacities, object, patch, {
      type: 'merge',
      deadlineMs: DEADLINE_MS,
      signal: stop.signal,
    })
  }

  const sendWhileRequested = async (): Promise<void> => {
    while (isRequested && !stop.signal.aborted) {
      isRequested = false
      let delayMs = INTERVAL_MS
      try {
        await send()
        onResult('sent')
      } catch (error) {
        if (stop.signal.aborted) break
        isRequested = true
        delayMs = backoff.next()
        onResult('failed')
        log.warn(
          { err: error, object: `${object.namespace}/${object.name}`, retryMs: Math.round(delayMs) },
          'Cannot make kube-scheduler retry rejected pods. They wait until the next change in the cluster',
        )
      }
      await pause(clock, delayMs, stop.signal)
    }
    sending = undefined
  }

  return {
    request() {
      isRequested = true
      if (!stop.signal.aborted) sending ??= sendWhileRequested()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await sending
    },
  }
}
