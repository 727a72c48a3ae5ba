import {
  measuredPodName,
  nodeName,
  type PodRequest,
  racePod,
  storedNodes,
  storedPods,
  type StoredEntry,
  ZONE,
} from '../race-cluster.ts'
import { checkSpread } from './check-placement.ts'
import type { Workload, WorkloadSize } from './workload.ts'
import type { PodSpec, ResourceList } from '@berth/types'

/** The extended resource of the workloads in which nodes share one. */
export const DONGLE = 'example.com/dongle'
/** Dongles of each node. */
export const DONGLES_PER_NODE = 8
const MAX_SKEW = 5

function waiting(
  { nodes, pods }: WorkloadSize,
  description: string,
  kind: {
    readonly amountsOf: (node: number) => ResourceList
    readonly requestOf: (pod: number) => PodRequest
    readonly spec?: Partial<PodSpec>
  },
): Workload {
  return {
    nodes,
    pods,
    description,
    *objects(): Generator<StoredEntry> {
      yield* storedNodes(nodes, kind.amountsOf)
      yield* storedPods(pods, (i) => racePod(measuredPodName(i), kind.requestOf(i), kind.spec))
    },
  }
}

const oneDongle = { amountsOf: () => ({ [DONGLE]: `${DONGLES_PER_NODE}` }), requestOf: dongleRequest }

function dongleRequest(): PodRequest {
  return { extended: { [DONGLE]: '1' } }
}

/** Returns pods that request one unit of a resource that every node offers. */
export function sharedWorkload(size: WorkloadSize): Workload {
  return waiting(size, 'with one extended resource each', oneDongle)
}

/**
 * Returns pods that each request a resource that only one node offers, as upstream's SchedulingWithExtendedResource. There
 * must be at least as many nodes as pods.
 */
export function uniqueWorkload(size: WorkloadSize): Workload {
  const oneUnit = (i: number): ResourceList => ({ [`example.com/dongle-${i}`]: '1' })
  return waiting(size, 'that each request the resource of one node', {
    amountsOf: oneUnit,
    requestOf: (i) => ({ extended: oneUnit(i) }),
  })
}

/** Returns pods that request only cpu and memory. */
export function basicWorkload(size: WorkloadSize): Workload {
  return waiting(size, 'with cpu and memory only', { amountsOf: () => ({}), requestOf: () => ({}) })
}

/** Returns pods with a dongle, a hard zone spread and a preferred anti-affinity. */
export function spreadWorkload(size: WorkloadSize): Workload {
  return {
    ...waiting(size, 'with a zone spread and a preferred anti-affinity', { ...oneDongle, spec: spreadAndAffinity }),
    check: (pods) => checkSpread(pods, MAX_SKEW),
  }
}

const labelSelector = { matchLabels: { app: 'web' } }
const spreadAndAffinity: Partial<PodSpec> = {
  topologySpreadConstraints: [
    { maxSkew: MAX_SKEW, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector } },
      ],
    },
  },
}

/** Returns pods with a dongle in a cluster with bound pods, as a scheduler finds it when it starts. */
export function coldStartWorkload(size: WorkloadSize, bound: number): Workload {
  const pending = sharedWorkload(size)
  return {
    ...pending,
    description: `with one extended resource each, beside ${bound} bound ones`,
    *objects(): Generator<StoredEntry> {
      yield* pending.objects()
      yield* storedPods(bound, (i) => racePod(`bound-${i}`, {}, { nodeName: nodeName(i % size.nodes) }))
    },
  }
}
