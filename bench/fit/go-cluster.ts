import { type ClusterState, createClusterState } from '@berth/fit-engine'
import type { Node, Pod, ResourceList } from '@berth/types'

/** The resource that every node offers. */
export const DONGLE = 'example.com/dongle'
/** The resource that only the middle node offers. */
export const RARE = 'example.com/rare'
const PODS_PER_NODE = 10

/** Returns requests or capacity like `rl` of the Go benchmark. */
export function amounts(cpu: string, memory: string, dongle = ''): ResourceList {
  return { cpu, memory, ...(dongle !== '' && { [DONGLE]: dongle }) }
}

/** Returns a pod like `benchPod` of the Go benchmark; a pending one without `nodeName`. */
export function benchPod(name: string, requests: ResourceList, nodeName?: string): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      schedulerName: 'default-scheduler',
      containers: [{ name: 'c', image: 'app', resources: { requests } }],
    },
  }
}

/** Returns the pod that the Go benchmark schedules. */
export function candidatePod(name = 'p'): Pod {
  return benchPod(name, amounts('1', '2Gi', '1'))
}

/** Nodes and pods, and the cluster state with all of them. */
export interface BenchCluster {
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly state: ClusterState
}

/**
 * Creates the cluster of the Go benchmark's `fitEnv`: ten pods per node, and no free dongles on a third of the nodes.
 * In addition, one node offers a rare resource.
 */
export function goCluster(nodeCount: number): BenchCluster {
  const nodes: Node[] = []
  const pods: Pod[] = []
  for (let i = 0; i < nodeCount; i++) {
    const name = `node-${i}`
    const rare = i === Math.trunc(nodeCount / 2) ? { [RARE]: '4' } : {}
    const capacity = { ...amounts('16', '64Gi', '8'), pods: '110', ...rare }
    const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `z${i % 3}` }
    nodes.push({ metadata: { name, labels }, status: { capacity, allocatable: capacity } })
    for (let j = 0; j < PODS_PER_NODE; j++) {
      const dongles = j === 0 ? (['8', '4', '2'][i % 3] ?? '') : ''
      pods.push(benchPod(`e-${i}-${j}`, amounts('500m', '1Gi', dongles), name))
    }
  }
  return { nodes, pods, state: stateOf(nodes, pods) }
}

/** Creates a state with the nodes and pods. */
export function stateOf(nodes: readonly Node[], pods: readonly Pod[]): ClusterState {
  const state = createClusterState()
  for (const node of nodes) state.setNode(node)
  for (const pod of pods) state.setPod(pod)
  return state
}
