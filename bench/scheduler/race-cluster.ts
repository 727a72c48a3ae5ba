import { toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import type { Node, Pod, PodSpec, ResourceList } from '@berth/types'

/** The schedulerName of the pods, used by every scheduler. */
export const SCHEDULER_NAME = 'race'
/** Namespace of all pods. */
export const NAMESPACE = 'default'
/** Zone label of the nodes. */
export const ZONE = 'topology.kubernetes.io/zone'
/** Number of zones. The nodes are distributed evenly. */
export const ZONES = 3

/** An object in the form in which etcd stores it, with its key below `/registry/`. */
export type StoredEntry = readonly [key: string, object: unknown]

/** The requests of a pod. */
export interface PodRequest {
  /** Default: `100m`. */
  readonly cpu?: string
  /** Default: `128Mi`. */
  readonly memory?: string
  /** Extended resources. Default: none. */
  readonly extended?: ResourceList
}

const machine: ResourceList = { cpu: '64', memory: '256Gi', pods: '250' }

/**
 * Generates nodes in the form in which etcd stores them.
 *
 * @param amountsOf - Returns amounts of a node that replace or extend those of a large machine.
 * @yields The key and the object.
 */
export function* storedNodes(count: number, amountsOf: (node: number) => ResourceList): Generator<StoredEntry> {
  for (let i = 0; i < count; i++) {
    const name = nodeName(i)
    const amounts = { ...machine, ...amountsOf(i) }
    const node: Node = {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, [ZONE]: `zone-${i % ZONES}` } },
      status: { capacity: amounts, allocatable: amounts },
    }
    yield [`minions/${name}`, toStoredObject('Node', node)]
  }
}

/**
 * Generates pods in the form in which etcd stores them.
 *
 * @param podOf - Returns the pod with a number.
 * @yields As {@link storedNodes}.
 */
export function* storedPods(count: number, podOf: (i: number) => Pod): Generator<StoredEntry> {
  for (let i = 0; i < count; i++) {
    const pod = podOf(i)
    yield [`pods/${NAMESPACE}/${pod.metadata.name}`, toStoredObject('Pod', pod)]
  }
}

/** Returns the name of a node. */
export function nodeName(i: number): string {
  return `node-${i}`
}

/** Returns the name of a pod that the scheduler must bind in the measured time. */
export function measuredPodName(i: number): string {
  return `pod-${i}`
}

/** Returns whether a pod has a name of {@link measuredPodName}. */
export function isMeasuredPod(name: string | undefined): boolean {
  return name?.startsWith('pod-') ?? false
}

/** Returns a pod of the race: pending, or running if `spec` names a node. */
export function racePod(name: string, request: PodRequest = {}, spec: Partial<PodSpec> = {}): Pod {
  const { cpu = '100m', memory = '128Mi', extended } = request
  const resources = { requests: { cpu, memory, ...extended }, ...(extended !== undefined && { limits: extended }) }
  return {
    metadata: { namespace: NAMESPACE, name, labels: { app: 'web' } },
    spec: { schedulerName: SCHEDULER_NAME, containers: [{ name: 'main', image: 'none', resources }], ...spec },
    status: { phase: spec.nodeName === undefined ? 'Pending' : 'Running' },
  }
}
