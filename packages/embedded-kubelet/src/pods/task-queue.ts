/** Runs tasks one after the other. */
export interface TaskQueue {
  /** Adds a task. It is dropped if the signal aborts before it starts. */
  readonly enqueue: (task: () => Promise<void>) => void
  /** Resolves when the queue is empty. */
  readonly idle: () => Promise<void>
}

/**
 * Creates an empty queue.
 *
 * @param onError - Called with the error of a task, unless the signal has aborted. The queue continues.
 */
export function createTaskQueue(signal: AbortSignal, onError: (error: unknown) => void): TaskQueue {
  let tail: Promise<void> = Promise.resolve()
  return {
    enqueue(task) {
      const previous = tail
      const run = async (): Promise<void> => {
        await previous
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
