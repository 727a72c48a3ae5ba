/** Does tasks one after the other. */
export interface TaskQueue {
  /** The task is dropped if the signal aborts before its turn. */
  readonly enqueue: (task: () => Promise<void>) => void
  /** Resolves when nothing is queued. */
  readonly idle: () => Promise<void>
}

/**
 * Creates an empty queue.
 *
 * @param onError - Hears of what a task throws while the signal has not aborted; the queue goes on.
 */
export function createTaskQueue(signal: AbortSignal, onError: (error: unknown) => void): TaskQueue {
  let tail: Promise<void> = Promise.resolve()
  return {
    enqueue(task) {
      const before = tail
      const run = async (): Promise<void> => {
        await before
        if (signal.aborted) return
        try {
          await task()
        } catch (error) {
          if (!signal.aborted) onError(error)
        }
      }
      tail = run()
    },
    async idle() {
      for (let seen: Promise<void> | undefined; seen !== tail;) {
        seen = tail
        await seen
      }
    },
  }
}
