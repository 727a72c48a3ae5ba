import type { Clock } from '@berth/types'
import { plannedExitOf, restartDelayMs } from './planned-exit.ts'
import type { PodReporter } from './pod-reporter.ts'
import type { PodWorker } from './pod-worker.ts'
import type { TaskQueue } from './task-queue.ts'

/**
 * Returns a function that plans the exit of a running pod's containers, as its annotations say. Containers that exit are
 * restarted after a backoff, or the pod is finished.
 */
export function createContainerExits(options: {
  readonly clock: Clock
  readonly reporter: PodReporter
  readonly queue: TaskQueue
  /** Called when a pod is finished, after its status is written. */
  readonly onFinished: () => void
}): (worker: PodWorker) => void {
  const { clock, reporter, queue, onFinished } = options

  function afterDelay(worker: PodWorker, delayMs: number, task: () => Promise<void>): void {
    worker.timer = clock.setTimer(delayMs, () => {
      queue.enqueue(async () => {
        if (worker.state === 'running') await task()
      })
    })
  }

  async function finish(worker: PodWorker, exitCode: number): Promise<void> {
    worker.state = 'terminated'
    await reporter.finished(worker, exitCode)
    onFinished()
  }

  async function restart(worker: PodWorker, exitCode: number): Promise<void> {
    worker.isBackingOff = true
    await reporter.restarting(worker, exitCode)
    afterDelay(worker, restartDelayMs(worker.restarts), async () => {
      worker.restarts++
      worker.isBackingOff = false
      await reporter.running(worker)
      planExit(worker)
    })
  }

  function planExit(worker: PodWorker): void {
    const exit = plannedExitOf(worker.pod)
    if (exit === undefined) return
    const { afterMs, exitCode, restarts } = exit
    afterDelay(worker, afterMs, () => (restarts ? restart(worker, exitCode) : finish(worker, exitCode)))
  }

  return planExit
}
