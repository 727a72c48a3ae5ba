import { onAbort } from '@berth/clock'
import { createKeyedHeap } from '../queue/keyed-heap.ts'

/** Limits how many tasks of one kind run at the same time. The tasks of another kind have a budget of their own. */
export interface TaskBudget {
  /**
   * Resolves when a task may start: higher priorities first, then in order of arrival.
   *
   * @param priority - Default: 0.
   * @returns A function that ends the task; to be called once.
   * @throws The reason of `signal` when it aborts first.
   */
  acquire(signal: AbortSignal, priority?: number): Promise<() => void>
}

interface WaitingTask {
  readonly priority: number
  readonly start: () => void
}

/** Creates a budget for at most `limit` tasks. */
export function createTaskBudget(limit: number): TaskBudget {
  const waiting = createKeyedHeap<WaitingTask>((a, b) => b.priority - a.priority)
  let running = 0
  let arrivals = 0

  const release = (): void => {
    const next = waiting.pop()
    if (next === undefined) running -= 1
    else next.start()
  }

  return {
    acquire: (signal, priority = 0) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error)
        } else if (running < limit) {
          running += 1
          resolve(release)
        } else {
          const key = String(arrivals++)
          const removeAbort = onAbort(signal, () => {
            waiting.delete(key)
            reject(signal.reason as Error)
          })
          const start = (): void => {
            removeAbort()
            resolve(release)
          }
          waiting.set(key, { priority, start })
        }
      }),
  }
}
