import type { Clock, Pod } from '@berth/types'
import type { DeviceManager } from '../devices/device-manager.ts'
import { nodeAddress } from '../node/node-object.ts'
import {
  failedStatus,
  rejectedStatus,
  restartingStatus,
  runningStatus,
  succeededStatus,
  type PodRuntime,
} from './pod-status.ts'
import { allocatedPod, podUid, type PodWorker } from './pod-worker.ts'
import type { PodWriter } from './pod-writer.ts'
import type { AdmissionFailure } from './resource-shortage.ts'

/** Writes the status of pods to the API server. */
export interface PodReporter {
  /** Writes that the containers run. */
  running(worker: PodWorker): Promise<void>
  /** Writes that the containers exited and will be restarted. */
  restarting(worker: PodWorker, exitCode: number): Promise<void>
  /**
   * Writes that the containers exited and are not restarted: the pod succeeded, or failed if the exit code is not 0.
   */
  finished(worker: PodWorker, exitCode: number): Promise<void>
  /** Writes that the kubelet rejected the pod. */
  rejected(worker: PodWorker, failure: AdmissionFailure): Promise<void>
  /** Returns whether the health of the pod's devices differs from what its status says. */
  hasNewHealth(worker: PodWorker): boolean
}

/** Creates the reporter of one node. */
export function createPodReporter(options: {
  readonly nodeName: string
  readonly clock: Clock
  readonly devices: DeviceManager
  readonly writer: PodWriter
}): PodReporter {
  const { clock, devices, writer } = options
  const hostIP = nodeAddress(options.nodeName)

  function runtimeOf(worker: PodWorker): PodRuntime {
    return {
      nowMs: clock.now(),
      hostIP,
      podIP: worker.podIP,
      restarts: worker.restarts,
      pendingResize: worker.pendingResize,
      devices: (container) => devices.resourceStatuses(podUid(worker.pod), container),
    }
  }

  function healthOf({ pod }: PodWorker): string {
    return JSON.stringify(pod.spec.containers.map(({ name }) => devices.resourceStatuses(podUid(pod), name)))
  }

  return {
    async running(worker) {
      const status = runningStatus(allocatedPod(worker), runtimeOf(worker))
      worker.reportedHealth = healthOf(worker)
      await writer.writeStatus(worker.pod, status)
    },
    restarting: (worker, exitCode) =>
      writer.writeStatus(worker.pod, restartingStatus(allocatedPod(worker), runtimeOf(worker), exitCode)),
    finished(worker, exitCode) {
      const pod = allocatedPod(worker)
      const runtime = runtimeOf(worker)
      return writer.writeStatus(
        worker.pod,
        exitCode === 0 ? succeededStatus(pod, runtime) : failedStatus(pod, runtime, exitCode),
      )
    },
    rejected: ({ pod }, failure) => writer.writeStatus(pod, rejectedStatus(pod, failure, clock.now())),
    hasNewHealth: (worker) => healthOf(worker) !== worker.reportedHealth,
  }
}

/** Returns the device health in a pod's status, in the form of `reportedHealth`. */
export function healthInStatus({ spec, status }: Pod): string {
  const statuses = status?.containerStatuses ?? []
  return JSON.stringify(
    spec.containers.map(
      (container) => statuses.find(({ name }) => name === container.name)?.allocatedResourcesStatus ?? [],
    ),
  )
}
