import { type ClusterState, createClusterState } from '@berth/fit-engine'
import type { SampleNode } from '@berth/plugin-api/testing'
import type { Node } from '@berth/types'

/** The nodes of a sample that has none. */
const plainNodes: readonly SampleNode[] = [{ name: 'node' }]

/** Returns a cluster of `count` nodes that repeats the nodes of a sample, each with its pods. */
export function sampleState(sample: readonly SampleNode[] = plainNodes, count: number): ClusterState {
  const state = createClusterState()
  for (let i = 0; i < count; i++) {
    const { labels = {}, annotations = {}, allocatable = {}, pods = [] } = sample[i % sample.length] as SampleNode
    const name = `node-${i}`
    const amounts = Object.fromEntries(
      Object.entries(allocatable).map(([key, units]) => [key, key === 'cpu' ? `${units}m` : String(units)]),
    )
    const status = { capacity: amounts, allocatable: amounts }
    state.setNode({ metadata: { name, uid: name, labels, annotations }, spec: {}, status })
    for (const [j, pod] of pods.entries()) {
      const podName = `${pod.metadata.name ?? 'pod'}-${i}-${j}`
      const metadata = { ...pod.metadata, name: podName, namespace: pod.metadata.namespace ?? 'default', uid: podName }
      state.setPod({ metadata, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: name } })
    }
  }
  return state
}

/** Returns `count` nodes that repeat the nodes of a sample. */
export function repeatedNodes(nodes: readonly Node[] = [], count: number): readonly Node[] {
  return Array.from({ length: count }, (_, i) => {
    const node = nodes[i % nodes.length] as Node
    return { ...node, metadata: { ...node.metadata, name: `node-${i}`, uid: `node-${i}` } }
  })
}
