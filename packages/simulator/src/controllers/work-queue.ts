import type { Logger } from '@berth/types'

/** Keys to work on, each once however often it was added meanwhile. */
export interface WorkQueue {
  add(key: string): void
  close(): void
}

/** Rounds in one go before other tasks of the process get their turn. */
const ROUNDS = 256

/**
 * Runs `reconcile` for every added key, in order, right after the task that added it: controllers react at once, in
 * real and in virtual time alike. A key whose turn throws is logged and left until it is added again.
 */
export function createWorkQueue(reconcile: (key: string) => void, log: Logger): WorkQueue {
  const keys = new Set<string>()
  let isScheduled = false
  let isClosed = false

  const drain = (): void => {
    isScheduled = false
    let rounds = 0
    for (const key of keys) {
      if (isClosed) return
      keys.delete(key)
      try {
        reconcile(key)
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

  return {
    add(key) {
      keys.add(key)
      schedule()
    },
    close() {
      isClosed = true
      keys.clear()
    },
  }
}
