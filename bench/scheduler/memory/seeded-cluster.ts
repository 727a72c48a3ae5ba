import { largeCluster, toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import type { Pod } from '@berth/types'
import { SCHEDULER_NAME } from '../race-cluster.ts'

/** Numbers of objects. */
export interface ClusterSize {
  readonly nodes: number
  readonly bound: number
  /** Pods that a scheduler must place. */
  readonly waiting: number
}

/**
 * Generates nodes, bound pods and waiting pods in the form in which etcd stores them.
 *
 * @yields The key below `/registry/` and the object.
 */
export function* seededCluster({ nodes, bound, waiting }: ClusterSize): Generator<readonly [string, unknown]> {
  yield* largeCluster(nodes, bound)
  for (let i = 0; i < waiting; i++) {
    yield [`pods/default/waiting-${i}`, toStoredObject('Pod', waitingPod(`waiting-${i}`))]
  }
}

/** Returns a pod that waits for a scheduler. */
export function waitingPod(name: string, memory = '128Mi'): Pod {
  const resources = { requests: { cpu: '100m', memory } }
  return {
    metadata: { namespace: 'default', name },
    spec: { schedulerName: SCHEDULER_NAME, containers: [{ name: 'main', image: 'none', resources }] },
    status: { phase: 'Pending' },
  }
}
