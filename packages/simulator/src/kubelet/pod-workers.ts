import type { Clock, Logger, Node, Pod, Timer } from '@berth/types'
import { admitPod, allocatableOf, type AdmissionFailure } from './admit-pod.ts'
import { containerEndOf, restartDelayMs } from './container-end.ts'
import type { DeviceManager } from './device-manager.ts'
import { KubeletApiError } from './errors.ts'
import { addressBytes, nodeAddress } from './node-object.ts'
import { pause } from './object-feed.ts'
import {
  failedStatus,
  rejectedStatus,
  restartingStatus,
  runningStatus,
  succeededStatus,
  type PodPlace,
  type WrittenPodStatus,
} from './pod-status.ts'
import type { Rest } from './rest.ts'

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
  /** Restarts of its containers in this life of the kubelet. */
  restarts: number
  timer?: Timer
}

const ATTEMPTS = 30
const RETRY_MS = 1000
const isEnded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
const uidOf = (pod: Pod): string => pod.metadata.uid ?? `${pod.metadata.namespace}/${pod.metadata.name}`

/** Creates the workers; they act until the signal aborts. */
export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  const { nodeName, rest, clock, log, devices, signal } = options
  const workers = new Map<string, Worker>()
  const [high, low] = addressBytes(nodeName)
  const hostIP = nodeAddress(nodeName)
  let lastAddress = 1
  let tail: Promise<void> = Promise.resolve()

  function enqueue(task: () => Promise<void>): void {
    const before = tail
    const run = async (): Promise<void> => {
      await before
      if (signal.aborted) return
      try {
        await task()
      } catch (error) {
        if (!signal.aborted) log.error({ err: error, node: nodeName }, 'Simulated kubelet cannot keep a pod')
      }
    }
    tail = run()
  }

  function placeOf(worker: Worker): PodPlace {
    return {
      nowMs: clock.now(),
      hostIP,
      podIP: worker.podIP,
      restarts: worker.restarts,
      devices: (container) => devices.resourceStatuses(uidOf(worker.pod), container),
    }
  }

  async function persistently(request: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await request()
        return
      } catch (error) {
        // Gone or replaced by a namesake: nothing left to say.
        if (error instanceof KubeletApiError && (error.status === 404 || error.status === 409)) return
        if (attempt === ATTEMPTS || (error instanceof KubeletApiError && !error.retryable)) throw error
        await pause(clock, RETRY_MS, signal)
      }
    }
  }

  function pathOf(pod: Pod): string {
    const { namespace = 'default', name = '' } = pod.metadata
    return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
  }

  const write = (worker: Worker, status: WrittenPodStatus): Promise<void> =>
    persistently(() =>
      rest.send('PATCH', `${pathOf(worker.pod)}/status`, { metadata: { uid: worker.pod.metadata.uid }, status }),
    )

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
        const why = error instanceof Error ? error.message : String(error)
        return {
          reason: 'UnexpectedAdmissionError',
          message: `Allocate failed due to ${why}, which is unexpected`,
        }
      }
    }
    const allocatable = allocatableOf(options.node())
    return admitPod(
      pod,
      others.map((each) => each.pod),
      devices.hasPod(uidOf(pod)) ? devices.liftAllocatable(allocatable) : allocatable,
    )
  }

  async function admit(): Promise<void> {
    const worker = firstQueued()
    if (worker === undefined) return
    const isRunning = options.keepsRunningPods && worker.pod.status?.phase === 'Running'
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
    if (isRunning) {
      worker.reported = writtenReport(worker.pod)
      scheduleEnd(worker)
      return
    }
    for (const container of [...(worker.pod.spec.initContainers ?? []), ...worker.pod.spec.containers]) {
      await devices.preStart(uidOf(worker.pod), container.name)
    }
    const status = runningStatus(worker.pod, placeOf(worker))
    worker.reported = reportOf(worker)
    await write(worker, status)
    scheduleEnd(worker)
  }

  function reportOf(worker: Worker): string {
    const uid = uidOf(worker.pod)
    return JSON.stringify(worker.pod.spec.containers.map(({ name }) => devices.resourceStatuses(uid, name)))
  }

  function scheduleEnd(worker: Worker): void {
    const planned = containerEndOf(worker.pod)
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
          exitCode === 0 ? succeededStatus(worker.pod, place) : failedStatus(worker.pod, place, exitCode),
        )
      })
    })
  }

  async function restart(worker: Worker, exitCode: number): Promise<void> {
    await write(worker, restartingStatus(worker.pod, placeOf(worker), exitCode))
    worker.timer = clock.setTimer(restartDelayMs(worker.restarts), () => {
      enqueue(async () => {
        if (worker.state !== 'running') return
        worker.restarts++
        await write(worker, runningStatus(worker.pod, placeOf(worker)))
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
        if (wasRunning) await write(worker, succeededStatus(worker.pod, placeOf(worker)))
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
        const created: Worker = { pod, state: isEnded(pod) ? 'ended' : 'queued', podIP: '', reported: '', restarts: 0 }
        workers.set(uid, created)
        if (pod.metadata.deletionTimestamp !== undefined) end(created)
        else if (created.state === 'queued') enqueue(admit)
        return
      }
      const wasDeleted = worker.pod.metadata.deletionTimestamp !== undefined
      worker.pod = pod
      if (isEnded(pod) && worker.state !== 'ending') worker.state = 'ended'
      if (pod.metadata.deletionTimestamp !== undefined && !wasDeleted) end(worker)
    },

    gone(pod) {
      const worker = workers.get(uidOf(pod))
      worker?.timer?.cancel()
      if (worker !== undefined) worker.state = 'ended'
      workers.delete(uidOf(pod))
    },

    refreshDevices() {
      for (const worker of workers.values()) {
        if (worker.state !== 'running' || reportOf(worker) === worker.reported) continue
        enqueue(async () => {
          if (worker.state !== 'running' || reportOf(worker) === worker.reported) return
          worker.reported = reportOf(worker)
          await write(worker, runningStatus(worker.pod, placeOf(worker)))
        })
      }
    },

    async settled() {
      for (let seen: Promise<void> | undefined; seen !== tail;) {
        seen = tail
        await seen
      }
    },
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
