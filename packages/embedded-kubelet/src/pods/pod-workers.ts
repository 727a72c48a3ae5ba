import type { Clock, Logger, Node, Pod } from '@berth/types'
import type { ApiClient } from '../api/api-client.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import { allocationOf, isResized } from '../devices/pod-allocation.ts'
import { addressBytes } from '../node/node-object.ts'
import { createContainerExits } from './container-exits.ts'
import { createPodAdmission } from './pod-admission.ts'
import { createPodReporter, healthInStatus } from './pod-reporter.ts'
import { createPodResizer } from './pod-resizer.ts'
import {
  allocatedPod,
  createPodWorker,
  firstQueued,
  isFinished,
  podUid,
  type PodWorker,
  type PodWorkerMap,
} from './pod-worker.ts'
import { createPodWriter } from './pod-writer.ts'
import type { AdmissionFailure } from './resource-shortage.ts'
import { createTaskQueue } from './task-queue.ts'

/** Options of the pod workers of one run of the kubelet. */
export interface PodWorkersOptions {
  readonly nodeName: string
  readonly api: ApiClient
  readonly clock: Clock
  readonly log: Logger
  readonly devices: DeviceManager
  /** Returns the kubelet's current Node object. */
  readonly node: () => Node
  /** Time from the deletion request to the end of the containers. */
  readonly terminationMs: number
  /** Whether pods that the API server shows as running keep their containers and devices; false after a reboot. */
  readonly keepsRunningPods: boolean
  readonly signal: AbortSignal
}

/** Admits, runs, resizes and terminates the pods that are bound to one node. */
export interface PodWorkers {
  /** Handles a pod that was added or changed. */
  set(pod: Pod): void
  /** Handles a pod that was removed from the API server. */
  remove(pod: Pod): void
  /** Writes the status of running pods whose devices changed their health. */
  refreshDevices(): void
  /** Resolves when no work is queued. Containers may still be terminating, or wait for a planned exit. */
  settled(): Promise<void>
}

/** Creates the pod workers. One queue runs their work, one task at a time, until the signal aborts. */
export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  const { nodeName, clock, log, devices, signal, keepsRunningPods } = options
  const workers: PodWorkerMap = new Map()
  const queue = createTaskQueue(signal, (error) => {
    log.error({ err: error, node: nodeName }, 'Simulated kubelet cannot sync a pod')
  })
  const writer = createPodWriter(options.api, clock, signal)
  const reporter = createPodReporter({ nodeName, clock, devices, writer })
  const admission = createPodAdmission({ workers, devices, node: options.node })
  const resizer = createPodResizer({ workers, admission, reporter, queue })
  const planExit = createContainerExits({ clock, reporter, queue, onFinished: () => resizer.retryPending() })
  const nextPodIp = podIps(nodeName)

  function add(pod: Pod): void {
    const worker = createPodWorker(pod, keepsRunningPods)
    workers.set(podUid(pod), worker)
    if (isDeleted(pod)) terminate(worker)
    else if (worker.state === 'queued') queue.enqueue(admitNext)
  }

  function update(worker: PodWorker, pod: Pod): void {
    const old = worker.pod
    worker.pod = pod
    if (isFinished(pod) && worker.state !== 'terminating') worker.state = 'terminated'
    if (isDeleted(pod) && !isDeleted(old)) terminate(worker)
    else if (old.metadata.generation !== pod.metadata.generation && worker.state === 'running') resizer.resize(worker)
  }

  async function admitNext(): Promise<void> {
    const worker = firstQueued(workers)
    if (worker === undefined) return
    const { pod } = worker
    const isRunning = keepsRunningPods && pod.status?.phase === 'Running'
    const failure = isRunning ? admission.shortageOf(worker, allocatedPod(worker)) : await admission.admit(worker)
    // The pod was deleted, or the kubelet was stopped, while the device plugin answered.
    if (worker.state !== 'queued' || signal.aborted) return
    if (failure !== undefined) {
      await reject(worker, failure)
      return
    }
    worker.state = 'running'
    worker.podIP = worker.pod.status?.podIP ?? nextPodIp()
    if (!isRunning) worker.allocation = allocationOf(pod)
    // The pod was resized before its admission, or while the kubelet was stopped.
    if (isResized(worker.pod, worker.allocation)) resizer.resize(worker)
    if (isRunning) worker.reportedHealth = healthInStatus(worker.pod)
    else await startContainers(worker)
    planExit(worker)
  }

  async function reject(worker: PodWorker, failure: AdmissionFailure): Promise<void> {
    worker.state = 'terminated'
    log.info({ pod: podUid(worker.pod), node: nodeName, reason: failure.reason }, 'Simulated kubelet rejected a pod')
    await reporter.rejected(worker, failure)
  }

  async function startContainers(worker: PodWorker): Promise<void> {
    const { initContainers = [], containers } = worker.pod.spec
    for (const { name } of [...initContainers, ...containers]) await devices.preStart(podUid(worker.pod), name)
    await reporter.running(worker)
  }

  function terminate(worker: PodWorker): void {
    if (worker.state === 'terminating') return
    const wasRunning = worker.state === 'running'
    worker.state = wasRunning ? 'terminating' : 'terminated'
    worker.timer?.cancel()
    const finish = (): void => {
      queue.enqueue(async () => {
        worker.state = 'terminated'
        if (wasRunning) await reporter.finished(worker, 0)
        await writer.deletePod(worker.pod)
      })
    }
    if (wasRunning && options.terminationMs > 0) worker.timer = clock.setTimer(options.terminationMs, finish)
    else finish()
  }

  return {
    set(pod) {
      if (signal.aborted) return
      const worker = workers.get(podUid(pod))
      if (worker === undefined) add(pod)
      else update(worker, pod)
    },

    remove(pod) {
      const worker = workers.get(podUid(pod))
      worker?.timer?.cancel()
      if (worker !== undefined) worker.state = 'terminated'
      workers.delete(podUid(pod))
      resizer.retryPending()
    },

    refreshDevices() {
      const needsReport = (worker: PodWorker): boolean => worker.state === 'running' && reporter.hasNewHealth(worker)
      for (const worker of [...workers.values()].filter(needsReport)) {
        queue.enqueue(async () => {
          if (needsReport(worker)) await reporter.running(worker)
        })
      }
    },

    settled: queue.idle,
  }
}

function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Returns a function that returns the next pod address of the node. The addresses repeat after 254 pods. */
function podIps(nodeName: string): () => string {
  const [high, low] = addressBytes(nodeName)
  let last = 1
  return () => {
    last = (last % 254) + 1
    return `10.${high}.${low}.${last}`
  }
}
