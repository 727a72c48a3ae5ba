import type { ClusterState } from '@berth/fit-engine'
import type { Clock, Logger, Pod, Timer } from '@berth/types'
import { podName } from './pod-name.ts'

/** What {@link createAssumptions} needs. */
export interface AssumptionOptions {
  readonly state: ClusterState
  /** Whether the view is recent enough to tell that a bind has not happened. */
  readonly isFresh: () => boolean
  readonly clock: Clock
  readonly log: Logger
}

/** Assumed pods with an end: an assumption that nobody confirms or takes back must not hold room for ever. */
export interface Assumptions {
  assume(pod: Pod, nodeName: string, expiresAfterMs: number): void
  forget(pod: Pod): void
  /** The pod was seen bound, or is gone: no timer is needed any more. */
  settle(pod: Pod): void
  /** Assumptions that have not been confirmed. */
  size(): number
  expired(): number
  clear(): void
}

/** Makes an empty set of assumptions over `state`. */
export function createAssumptions(options: AssumptionOptions): Assumptions {
  const { state, isFresh, clock, log } = options
  const timers = new Map<string, Timer>()
  let expired = 0

  const settle = (pod: Pod): void => {
    const key = podName(pod)
    timers.get(key)?.cancel()
    timers.delete(key)
  }
  const wait = (pod: Pod, nodeName: string, ms: number): void => {
    const expire = (): void => {
      timers.delete(podName(pod))
      if (!state.isAssumed(pod)) return
      // While the watch is behind, the bind may have happened without our knowledge.
      if (!isFresh()) return wait(pod, nodeName, ms)
      expired += 1
      state.forget(pod)
      log.warn({ pod: podName(pod), node: nodeName }, 'Forgot an assumed pod that was never seen bound')
    }
    timers.set(podName(pod), clock.setTimer(ms, expire))
  }

  return {
    assume(pod, nodeName, expiresAfterMs) {
      state.assume(pod, nodeName)
      settle(pod)
      wait(pod, nodeName, expiresAfterMs)
    },
    forget(pod) {
      settle(pod)
      state.forget(pod)
    },
    settle,
    size: () => timers.size,
    expired: () => expired,
    clear() {
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}
