import { createWakeSignal } from '../queue/wake-signal.ts'

/** Limits how many tasks of one kind run at the same time. The tasks of another kind have a budget of their own. */
export interface TaskBudget {
  /**
   * Resolves when a task may start, in order of arrival.
   *
   * @returns A function that ends the task; to be called once.
   * @throws The reason of `signal` when it aborts first.
   */
  acquire(signal: AbortSignal): Promise<() => void>
  /** Resolves when a further task could start at once, or `signal` aborts. Never rejects. */
  untilFree(signal: AbortSignal): Promise<void>
}

/** Creates a budget for at most `limit` tasks. */
export function createTaskBudget(limit: number): TaskBudget {
  const ended = createWakeSignal()
  const waiting = new Set<() => void>()
  const tasks = { running: 0 }

  const release = (): void => {
    const next = waiting.values().next()
    if (next.done === true) {
      tasks.running -= 1
      ended.raise()
    } else {
      waiting.delete(next.value)
      next.value()
    }
  }

  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error)
        } else if (tasks.running < limit) {
          tasks.running += 1
          resolve(release)
        } else {
          const start = (): void => {
            signal.removeEventListener('abort', abort)
            resolve(release)
          }
          const abort = (): void => {
            waiting.delete(start)
            reject(signal.reason as Error)
          }
          signal.addEventListener('abort', abort, { once: true })
          waiting.add(start)
        }
      }),
    async untilFree(signal) {
      while (tasks.running >= limit && !signal.aborted) await ended.wait(signal)
    },
  }
}
