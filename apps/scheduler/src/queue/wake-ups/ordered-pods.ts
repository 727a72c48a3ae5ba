import type { QueuedPodInfo } from '../queued-pod.ts'
import { insertSorted } from './insert-sorted.ts'

/** A parked pod in {@link OrderedPods}. */
export interface OrderedPod {
  /** May be replaced by one that compares equal. */
  info: QueuedPodInfo
  /** Number of the latest freed room that the pod's last attempt has seen. */
  seenRoom: number
  /** Order of insertion, for pods that compare equal. */
  readonly sequence: number
  isRemoved: boolean
}

/** Pods in queue order. Removed pods are skipped, and dropped when they are many. */
export class OrderedPods {
  readonly #compare: (a: OrderedPod, b: OrderedPod) => number
  #pods: OrderedPod[] = []
  #removed = 0

  constructor(compare: (a: OrderedPod, b: OrderedPod) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#pods.length - this.#removed
  }

  /** Adds the pod after those that compare equal. Cheap for a pod that comes last, as most do. */
  add(pod: OrderedPod): void {
    insertSorted(this.#pods, pod, this.#compare)
  }

  remove(pod: OrderedPod): void {
    pod.isRemoved = true
    this.#removed += 1
    if (this.#removed * 2 <= this.#pods.length) return
    this.#pods = this.#pods.filter(({ isRemoved }) => !isRemoved)
    this.#removed = 0
  }

  /**
   * Iterates in queue order. Pods may be removed meanwhile.
   *
   * @yields Each pod that is not removed.
   */
  *values(): Generator<OrderedPod> {
    const pods = this.#pods
    for (let i = 0; i < pods.length; i++) {
      const pod = pods[i]
      if (pod?.isRemoved === false) yield pod
    }
  }
}
