import { errorText } from '@berth/text/error-text'
import type { Node, Pod } from '@berth/types'
import type { DeviceManager } from '../devices/device-manager.ts'
import { allocatedPod, holdsResources, podUid, type PodWorker, type PodWorkerMap } from './pod-worker.ts'
import { allocatableAmounts, resourceShortage, type AdmissionFailure } from './resource-shortage.ts'

/** Decides whether pods may run on the node. */
export interface PodAdmission {
  /**
   * Allocates the devices of a pod and checks that the node has room for it.
   *
   * @returns Why the pod is rejected; undefined when it is admitted.
   */
  admit(worker: PodWorker): Promise<AdmissionFailure | undefined>
  /** Checks that the node has room for `pod`, next to the pods of all other workers. */
  shortageOf(worker: PodWorker, pod: Pod): AdmissionFailure | undefined
}

/** Creates the admission of one run of the kubelet. */
export function createPodAdmission(options: {
  readonly workers: PodWorkerMap
  readonly devices: DeviceManager
  /** Returns the kubelet's current Node object. */
  readonly node: () => Node
}): PodAdmission {
  const { workers, devices, node } = options
  const activeWorkers = (): readonly PodWorker[] => [...workers.values()].filter(holdsResources)

  function shortageOf(worker: PodWorker, pod: Pod): AdmissionFailure | undefined {
    const others = activeWorkers().filter((each) => each !== worker)
    const allocatable = allocatableAmounts(node())
    return resourceShortage(
      pod,
      others.map(allocatedPod),
      devices.hasPod(podUid(pod)) ? devices.liftAllocatable(allocatable) : allocatable,
    )
  }

  return {
    async admit(worker) {
      const { pod } = worker
      try {
        await devices.allocate(pod, new Set(activeWorkers().map((each) => podUid(each.pod))))
      } catch (error) {
        return {
          reason: 'UnexpectedAdmissionError',
          message: `Allocate failed due to ${errorText(error)}, which is unexpected`,
        }
      }
      return shortageOf(worker, pod)
    },
    shortageOf,
  }
}
