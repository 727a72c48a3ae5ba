import { allocationOf, isResized } from '../devices/pod-allocation.ts'
import type { PodAdmission } from './pod-admission.ts'
import type { PodReporter } from './pod-reporter.ts'
import type { PodWorker, PodWorkerMap } from './pod-worker.ts'
import type { TaskQueue } from './task-queue.ts'

/** Grants pods the resources that they request after a resize. */
export interface PodResizer {
  /** Grants a resize if the node has room for it. Otherwise the resize stays pending. */
  resize(worker: PodWorker): void
  /** Tries pending resizes again, because a pod left the node. */
  retryPending(): void
}

/** Creates the resizer of one run of the kubelet. */
export function createPodResizer(options: {
  readonly workers: PodWorkerMap
  readonly admission: PodAdmission
  readonly reporter: PodReporter
  readonly queue: TaskQueue
}): PodResizer {
  const { workers, admission, reporter, queue } = options

  function grant(worker: PodWorker): void {
    worker.pendingResize = undefined
    if (!isResized(worker.pod, worker.allocation)) return
    worker.pendingResize = admission.shortageOf(worker, worker.pod)?.message
    if (worker.pendingResize === undefined) worker.allocation = allocationOf(worker.pod)
  }

  function enqueueResize(worker: PodWorker, isRetry: boolean): void {
    queue.enqueue(async () => {
      if (worker.state !== 'running') return
      const before = worker.pendingResize
      grant(worker)
      // The restart writes the status of a pod that backs off.
      if (worker.isBackingOff || (isRetry && worker.pendingResize === before)) return
      await reporter.running(worker)
    })
  }

  return {
    resize: (worker) => enqueueResize(worker, false),
    retryPending() {
      for (const worker of workers.values()) if (worker.pendingResize !== undefined) enqueueResize(worker, true)
    },
  }
}
