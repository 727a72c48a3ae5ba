import type { Clock, Logger, Timer } from '@berth/types'

/** Keys to work on, each once however often it was added meanwhile. */
export interface WorkQueue {
  add(key: string): void
  close(): void
}

/** Rounds in one go before other tasks of the process get their turn. */
const ROUNDS = 256

/**
 * Runs `reconcile` for every added key, in order, right after the task that added it: controllers react at once, in
 * real and in virtual time alike. A turn can ask for another one after some time. A key whose turn throws is logged and
 * left until it is added again.
 */
export function createWorkQueue(
  reconcile: (key: string, again: (delayMs: number) => void) => void,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WorkQueue {
  const keys = new Set<string>()
  const timers = new Map<string, Timer>()
  let isScheduled = false
  let isClosed = false

  const drain = (): void => {
    isScheduled = false
    let rounds = 0
    for (const key of keys) {
      if (isClosed) return
      keys.delete(key)
      timers.get(key)?.cancel()
      timers.delete(key)
      try {
        reconcile(key, (delayMs) => later(key, delayMs))
      } catch (error) {
        log.warn({ err: error, key }, 'Controller failed')
      }
      if (++rounds >= ROUNDS) break
    }
    if (keys.size > 0) schedule()
  }

  const schedule = (): void => {
    if (isScheduled || isClosed) return
    isScheduled = true
    if (keys.size > ROUNDS) setImmediate(drain)
    else queueMicrotask(drain)
  }

  const add = (key: string): void => {
    keys.add(key)
    schedule()
  }

  const later = (key: string, delayMs: number): void => {
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
