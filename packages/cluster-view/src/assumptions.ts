import type { ClusterState } from '@berth/fit-engine'
import type { Clock, Logger, Pod, Timer } from '@berth/types'
import { podName } from './pod-name.ts'

/** The dependencies of {@link createAssumptions}. */
export interface AssumptionOptions {
  readonly state: ClusterState
  /** Returns whether the view is recent enough to show that a bind did not happen. */
  readonly isFresh: () => boolean
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Assumed pods with a timer each: an assumption that is never confirmed or forgotten must not hold its units forever.
 */
export interface Assumptions {
  /** Counts the pod on the node, and forgets it after `expiresAfterMs`; Infinity: never. */
  assume(pod: Pod, nodeName: string, expiresAfterMs: number): void
  /** Removes the pod from the node and ends its timer. */
  forget(pod: Pod): void
  /** Ends the timer of a pod that was seen bound, or that is gone. */
  cancelExpiry(pod: Pod): void
  /** Number of unconfirmed assumptions. */
  size(): number
  /** Number of assumptions that have expired. */
  expired(): number
  /** Cancels every timer. The assumed pods stay in the state. */
  clear(): void
}

/** Creates an empty set of assumptions over `state`. */
export function createAssumptions(options: AssumptionOptions): Assumptions {
  const { state, isFresh, clock, log } = options
  /** By name of the pod; undefined for an assumption that does not expire. */
  const timers = new Map<string, Timer | undefined>()
  let expired = 0

  const cancelExpiry = (pod: Pod): void => {
    const key = podName(pod)
    timers.get(key)?.cancel()
    timers.delete(key)
  }
  const expireAfter = (pod: Pod, nodeName: string, ms: number): void => {
    const expire = (): void => {
      timers.delete(podName(pod))
      if (!state.isAssumed(pod)) return
      // While the watch is behind, the bind may have happened already: wait once more.
      if (!isFresh()) return expireAfter(pod, nodeName, ms)
      expired += 1
      state.forget(pod)
      log.warn({ pod: podName(pod), node: nodeName }, 'Forgot an assumed pod that was never seen bound')
    }
    timers.set(podName(pod), ms === Infinity ? undefined : clock.setTimer(ms, expire))
  }

  return {
    assume(pod, nodeName, expiresAfterMs) {
      state.assume(pod, nodeName)
      cancelExpiry(pod)
      expireAfter(pod, nodeName, expiresAfterMs)
    },
    forget(pod) {
      cancelExpiry(pod)
      state.forget(pod)
    },
    cancelExpiry,
    size: () => timers.size,
    expired: () => expired,
    clear() {
      for (const timer of timers.values()) timer?.cancel()
      timers.clear()
    },
  }
}
