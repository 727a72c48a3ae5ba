import { createClusterState, type ClusterState } from '@berth/fit-engine'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'

/** The cluster as it was at one moment. */
export interface Snapshot {
  /** Nodes with the pods that count on them. */
  readonly state: ClusterState
  readonly nodes: ReadonlyMap<string, Node>
  /** Also those that wait or have ended. */
  readonly pods: readonly Pod[]
}

/** Reads nodes and pods once. */
export async function readSnapshot(client: ApiClient, signal: AbortSignal): Promise<Snapshot> {
  const [nodes, pods] = await Promise.all([
    client.list<Node>(resourceRefs.nodes, { signal }),
    client.list<Pod>(resourceRefs.pods, { signal }),
  ])
  const state = createClusterState()
  for (const node of nodes.items) state.setNode(node)
  for (const pod of pods.items) state.setPod(pod)
  return { state, nodes: new Map(nodes.items.map((node) => [node.metadata.name ?? '', node])), pods: pods.items }
}
