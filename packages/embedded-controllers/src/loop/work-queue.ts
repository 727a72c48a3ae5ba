import type { Clock, Logger, Timer } from '@berth/types'

/** Keys to reconcile. A key that is added several times is reconciled once. */
export interface WorkQueue {
  add(key: string): void
  close(): void
}

/** After this many keys, the queue lets other tasks of the process run. */
const MAX_KEYS_PER_RUN = 256

/**
 * Creates a queue that runs `reconcile` for every added key, in order, in a microtask after the task that added it.
 * Controllers thus react without a timer, in real and in virtual time. A failed key is logged and not retried until it
 * is added again.
 */
export function createWorkQueue(
  reconcile: (key: string, requeueAfter: (delayMs: number) => void) => void,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WorkQueue {
  const keys = new Set<string>()
  const timers = new Map<string, Timer>()
  let isScheduled = false
  let isClosed = false

  const processKeys = (): void => {
    isScheduled = false
    let processed = 0
    for (const key of keys) {
      if (isClosed) return
      keys.delete(key)
      timers.get(key)?.cancel()
      timers.delete(key)
      try {
        reconcile(key, (delayMs) => addAfter(key, delayMs))
      } catch (error) {
        log.warn({ err: error, key }, 'Controller failed')
      }
      if (++processed >= MAX_KEYS_PER_RUN) break
    }
    if (keys.size > 0) schedule()
  }

  const schedule = (): void => {
    if (isScheduled || isClosed) return
    isScheduled = true
    if (keys.size > MAX_KEYS_PER_RUN) setImmediate(processKeys)
    else queueMicrotask(processKeys)
  }

  const add = (key: string): void => {
    keys.add(key)
    schedule()
  }

  const addAfter = (key: string, delayMs: number): void => {
    timers.get(key)?.cancel()
    const due = (): void => {
      timers.delete(key)
      add(key)
    }
    timers.set(key, clock.setTimer(delayMs, due))
  }

  return {
    add,
    close() {
      isClosed = true
      keys.clear()
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}
