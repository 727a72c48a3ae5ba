/** An assumed pod until its bind starts. */
export interface UnboundPod {
  /** Aborts when the pod is preempted, and at shutdown. The reason is the error of the attempt. */
  readonly ended: AbortSignal
  /**
   * Called right before the bind; the pod cannot be preempted without deleting it from then on.
   *
   * @throws The reason of {@link UnboundPod.ended}.
   */
  startBind(): void
  /** Removes the pod. */
  leave(): void
}

/** The assumed pods whose bind has not started, so that a preemptor can end their attempt instead of deleting them. */
export interface UnboundPods {
  enter(uid: string): UnboundPod
  /** Ends the attempt of the pod with this error. Returns false when its bind has started, or it is not assumed. */
  preempt(uid: string, error: Error): boolean
  /** Ends the attempts of all pods whose bind has not started. */
  endAll(error: Error): void
}

/**
 * Creates an empty registry.
 *
 * @param signal - Ends every attempt when it aborts, also of pods that enter later.
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/pods_in_prebind_map.go (v1.36)
 */
export function createUnboundPods(signal: AbortSignal): UnboundPods {
  const pods = new Map<string, AbortController>()
  signal.addEventListener('abort', () => {
    for (const attempt of pods.values()) attempt.abort(signal.reason)
  })
  return {
    enter(uid) {
      const attempt = new AbortController()
      pods.set(uid, attempt)
      if (signal.aborted) attempt.abort(signal.reason)
      const leave = (): void => {
        if (pods.get(uid) === attempt) pods.delete(uid)
      }
      return {
        ended: attempt.signal,
        startBind() {
          attempt.signal.throwIfAborted()
          leave()
        },
        leave,
      }
    },
    preempt(uid, error) {
      const attempt = pods.get(uid)
      if (attempt === undefined || attempt.signal.aborted) return attempt !== undefined
      attempt.abort(error)
      return true
    },
    endAll(error) {
      for (const attempt of pods.values()) attempt.abort(error)
    },
  }
}
