import { createWakeSignal } from '../queue/wake-signal.ts'

/** Tasks that run in parallel with the scheduling loop: attempts that wait, binds and reports. */
export interface BackgroundTasks {
  readonly count: number
  /** Starts a task. An error that it throws is passed to the error handler. */
  start(task: () => Promise<void>): void
  /** Waits until fewer than `limit` tasks run, or `signal` aborts. */
  untilBelow(limit: number, signal: AbortSignal): Promise<void>
  /** Waits until no task runs, or `signal` aborts. */
  drain(signal: AbortSignal): Promise<void>
}

/** Creates an empty set of tasks. */
export function createBackgroundTasks(onError: (error: unknown) => void): BackgroundTasks {
  const ended = createWakeSignal()
  const running = { count: 0 }
  const run = async (task: () => Promise<void>): Promise<void> => {
    running.count += 1
    try {
      await task()
    } catch (error) {
      onError(error)
    } finally {
      running.count -= 1
      ended.raise()
    }
  }
  const untilBelow = async (limit: number, signal: AbortSignal): Promise<void> => {
    while (running.count >= limit && !signal.aborted) await ended.wait(signal)
  }
  return {
    get count() {
      return running.count
    },
    start: (task) => void run(task),
    untilBelow,
    drain: (signal) => untilBelow(1, signal),
  }
}
