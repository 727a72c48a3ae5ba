import { errorText } from '@berth/text/error-text'
import type { Clock, Logger, Node, Pod, Timer } from '@berth/types'
import { resourceShortage, allocatableAmounts, type AdmissionFailure } from './resource-shortage.ts'
import { plannedExitOf, restartDelayMs } from './planned-exit.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import {
  allocationOf,
  isResized,
  allocationFromStatus,
  withAllocatedResources,
  type PodAllocation,
} from '../devices/pod-allocation.ts'
import { addressBytes, nodeAddress } from '../node/node-object.ts'
import {
  failedStatus,
  rejectedStatus,
  restartingStatus,
  runningStatus,
  succeededStatus,
  type PodRuntime,
  type KubeletPodStatus,
} from './pod-status.ts'
import { createPodWriter } from './pod-writer.ts'
import type { Rest } from '../api/rest.ts'
import { createTaskQueue } from './task-queue.ts'

/** What the workers of one kubelet life need. */
export interface PodWorkersOptions {
  readonly nodeName: string
  readonly rest: Rest
  readonly clock: Clock
  readonly log: Logger
  readonly devices: DeviceManager
  /** The kubelet's view of its node. */
  readonly node: () => Node
  /** From the deletion request to the end of the containers. */
  readonly terminationMs: number
  /** Containers found running in the API keep running and keep their devices; false after a reboot. */
  readonly keepsRunningPods: boolean
  readonly signal: AbortSignal
}

/** Brings pods bound to one node to life and to their end, one after the other. */
export interface PodWorkers {
  set(pod: Pod): void
  gone(pod: Pod): void
  /** Writes the devices' health into the status of running pods, where it changed. */
  refreshDevices(): void
  /** Resolves when nothing is queued. */
  settled(): Promise<void>
}

interface Worker {
  pod: Pod
  state: 'queued' | 'running' | 'ending' | 'ended'
  podIP: string
  reported: string
  /** What it has got; what it asks for may be more. */
  allocation: PodAllocation
  /** Why it has not got what it asks for. */
  pendingResize?: string | undefined
  /** Its containers have ended, and start again later. */
  isBetweenRuns: boolean
  /** Restarts of its containers in this life of the kubelet. */
  restarts: number
  timer?: Timer
}

const isEnded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
const uidOf = (pod: Pod): string => pod.metadata.uid ?? `${pod.metadata.namespace}/${pod.metadata.name}`

/** Creates the workers; they act until the signal aborts. */
export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  const { nodeName, rest, clock, log, devices, signal } = options
  const workers = new Map<string, Worker>()
  const [high, low] = addressBytes(nodeName)
  const hostIP = nodeAddress(nodeName)
  let lastAddress = 1

  const { enqueue, idle: settled } = createTaskQueue(signal, (error) => {
    log.error({ err: error, node: nodeName }, 'Simulated kubelet cannot keep a pod')
  })

  function placeOf(worker: Worker): PodRuntime {
    return {
      nowMs: clock.now(),
      hostIP,
      podIP: worker.podIP,
      restarts: worker.restarts,
      pendingResize: worker.pendingResize,
      devices: (container) => devices.resourceStatuses(uidOf(worker.pod), container),
    }
  }

  const { persistently, pathOf, writeStatus } = createPodWriter(rest, clock, signal)
  const write = (worker: Worker, status: KubeletPodStatus): Promise<void> => writeStatus(worker.pod, status)
  const shown = ({ pod, allocation }: Worker): Pod => withAllocatedResources(pod, allocation)

  /** The queued pod that was created first: what a kubelet that starts admits first. */
  function firstQueued(): Worker | undefined {
    return [...workers.values()]
      .filter(({ state }) => state === 'queued')
      .sort((a, b) => compare(a.pod.metadata.creationTimestamp ?? '', b.pod.metadata.creationTimestamp ?? ''))[0]
  }

  async function admissionFailure(worker: Worker, isRunning: boolean): Promise<AdmissionFailure | undefined> {
    const { pod } = worker
    const others = [...workers.values()].filter((each) => each.state === 'running' || each.state === 'ending')
    if (!isRunning) {
      try {
        await devices.allocate(pod, new Set(others.map((each) => uidOf(each.pod))))
      } catch (error) {
        const why = errorText(error)
        return {
          reason: 'UnexpectedAdmissionError',
          message: `Allocate failed due to ${why}, which is unexpected`,
        }
      }
    }
    return shortage(worker, isRunning ? shown(worker) : pod)
  }

  /** What the node lacks for the pod beside the others on it. */
  function shortage(worker: Worker, pod: Pod): AdmissionFailure | undefined {
    const allocatable = allocatableAmounts(options.node())
    const others = [...workers.values()].filter(
      (each) => each !== worker && (each.state === 'running' || each.state === 'ending'),
    )
    return resourceShortage(
      pod,
      others.map(shown),
      devices.hasPod(uidOf(pod)) ? devices.liftAllocatable(allocatable) : allocatable,
    )
  }

  /** Gives a pod the resources that it asks for, if there is room for them. */
  function resize(worker: Worker, isRetry = false): void {
    enqueue(async () => {
      if (worker.state !== 'running') return
      const before = worker.pendingResize
      worker.pendingResize = undefined
      if (isResized(worker.pod, worker.allocation)) {
        worker.pendingResize = shortage(worker, worker.pod)?.message
        if (worker.pendingResize === undefined) worker.allocation = allocationOf(worker.pod)
      }
      if (worker.isBetweenRuns || (isRetry && worker.pendingResize === before)) return
      await write(worker, runningStatus(shown(worker), placeOf(worker)))
    })
  }

  function retryResizes(): void {
    for (const worker of workers.values()) if (worker.pendingResize !== undefined) resize(worker, true)
  }

  async function admit(): Promise<void> {
    const worker = firstQueued()
    if (worker === undefined) return
    const isRunning = options.keepsRunningPods && worker.pod.status?.phase === 'Running'
    const judged = worker.pod
    const failure = await admissionFailure(worker, isRunning)
    // Deleted while the plugin was asked.
    if (worker.state !== 'queued' || signal.aborted) return
    if (failure !== undefined) {
      worker.state = 'ended'
      log.info({ pod: uidOf(worker.pod), node: nodeName, reason: failure.reason }, 'Simulated kubelet rejected a pod')
      await write(worker, rejectedStatus(worker.pod, failure, clock.now()))
      return
    }
    worker.state = 'running'
    const known = worker.pod.status?.podIP
    worker.podIP = known ?? `10.${high}.${low}.${(lastAddress = (lastAddress % 254) + 1)}`
    if (!isRunning) worker.allocation = allocationOf(judged)
    // Resized before it was admitted, or while the kubelet was away.
    if (isResized(worker.pod, worker.allocation)) resize(worker)
    if (isRunning) {
      worker.reported = writtenReport(worker.pod)
      scheduleEnd(worker)
      return
    }
    for (const container of [...(worker.pod.spec.initContainers ?? []), ...worker.pod.spec.containers]) {
      await devices.preStart(uidOf(worker.pod), container.name)
    }
    const status = runningStatus(shown(worker), placeOf(worker))
    worker.reported = reportOf(worker)
    await write(worker, status)
    scheduleEnd(worker)
  }

  function reportOf(worker: Worker): string {
    const uid = uidOf(worker.pod)
    return JSON.stringify(worker.pod.spec.containers.map(({ name }) => devices.resourceStatuses(uid, name)))
  }

  function scheduleEnd(worker: Worker): void {
    const planned = plannedExitOf(worker.pod)
    if (planned === undefined) return
    const { afterMs, exitCode, restarts } = planned
    worker.timer = clock.setTimer(afterMs, () => {
      enqueue(async () => {
        if (worker.state !== 'running') return
        if (restarts) {
          await restart(worker, exitCode)
          return
        }
        worker.state = 'ended'
        const place = placeOf(worker)
        await write(
          worker,
          exitCode === 0 ? succeededStatus(shown(worker), place) : failedStatus(shown(worker), place, exitCode),
        )
        retryResizes()
      })
    })
  }

  async function restart(worker: Worker, exitCode: number): Promise<void> {
    worker.isBetweenRuns = true
    await write(worker, restartingStatus(shown(worker), placeOf(worker), exitCode))
    worker.timer = clock.setTimer(restartDelayMs(worker.restarts), () => {
      enqueue(async () => {
        if (worker.state !== 'running') return
        worker.restarts++
        worker.isBetweenRuns = false
        await write(worker, runningStatus(shown(worker), placeOf(worker)))
        scheduleEnd(worker)
      })
    })
  }

  function end(worker: Worker): void {
    const wasRunning = worker.state === 'running'
    if (worker.state === 'ending') return
    worker.state = wasRunning ? 'ending' : 'ended'
    worker.timer?.cancel()
    const finish = (): void => {
      enqueue(async () => {
        worker.state = 'ended'
        if (wasRunning) await write(worker, succeededStatus(shown(worker), placeOf(worker)))
        await persistently(() =>
          rest.send('DELETE', pathOf(worker.pod), {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            gracePeriodSeconds: 0,
            preconditions: { uid: worker.pod.metadata.uid },
          }),
        )
      })
    }
    if (wasRunning && options.terminationMs > 0) worker.timer = clock.setTimer(options.terminationMs, finish)
    else finish()
  }

  return {
    set(pod) {
      if (signal.aborted) return
      const uid = uidOf(pod)
      const worker = workers.get(uid)
      if (worker === undefined) {
        const created: Worker = {
          pod,
          state: isEnded(pod) ? 'ended' : 'queued',
          podIP: '',
          reported: '',
          allocation: options.keepsRunningPods ? allocationFromStatus(pod) : allocationOf(pod),
          isBetweenRuns: false,
          restarts: 0,
        }
        workers.set(uid, created)
        if (pod.metadata.deletionTimestamp !== undefined) end(created)
        else if (created.state === 'queued') enqueue(admit)
        return
      }
      const isOtherGeneration = worker.pod.metadata.generation !== pod.metadata.generation
      const wasDeleted = worker.pod.metadata.deletionTimestamp !== undefined
      worker.pod = pod
      if (isEnded(pod) && worker.state !== 'ending') worker.state = 'ended'
      if (pod.metadata.deletionTimestamp !== undefined && !wasDeleted) end(worker)
      else if (isOtherGeneration && worker.state === 'running') resize(worker)
    },

    gone(pod) {
      const worker = workers.get(uidOf(pod))
      worker?.timer?.cancel()
      if (worker !== undefined) worker.state = 'ended'
      workers.delete(uidOf(pod))
      retryResizes()
    },

    refreshDevices() {
      for (const worker of workers.values()) {
        if (worker.state !== 'running' || reportOf(worker) === worker.reported) continue
        enqueue(async () => {
          if (worker.state !== 'running' || reportOf(worker) === worker.reported) return
          worker.reported = reportOf(worker)
          await write(worker, runningStatus(shown(worker), placeOf(worker)))
        })
      }
    },

    settled,
  }
}

/** The devices' health as the pod's status shows it. */
function writtenReport(pod: Pod): string {
  const statuses = pod.status?.containerStatuses ?? []
  return JSON.stringify(
    pod.spec.containers.map(
      (container) => statuses.find(({ name }) => name === container.name)?.allocatedResourcesStatus ?? [],
    ),
  )
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
