import { projectNode, projectPod } from '@berth/cluster-view'
import { createClusterState, type ClusterState } from '@berth/fit-engine'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'

/** The cluster as it was at one moment. */
export interface Snapshot {
  /** Nodes with the pods that count on them. */
  readonly state: ClusterState
  readonly nodes: ReadonlyMap<string, Node>
  /** `namespace/name` of pods, and names of nodes, whose amounts are no quantities; they are left out. */
  readonly unreadable: readonly string[]
}

/**
 * Reads nodes and pods once, as the scheduler's view of the cluster would hold them. Lists, no watch: a person waits
 * for the answer, and wants to hear at once when something may not be read.
 *
 * @throws what the client throws for a failed call.
 */
export async function readSnapshot(client: ApiClient, signal: AbortSignal): Promise<Snapshot> {
  const [nodeList, podList] = await Promise.all([
    client.list<Node>(resourceRefs.nodes, { signal }),
    client.list<Pod>(resourceRefs.pods, { signal }),
  ])
  const state = createClusterState()
  const nodes = new Map<string, Node>()
  const unreadable: string[] = []
  for (const item of nodeList.items) {
    const { name = '' } = item.metadata
    const node = orUndefined(() => projectNode(item))
    if (node === undefined) {
      unreadable.push(name)
      continue
    }
    state.setNode(node)
    nodes.set(name, node)
  }
  for (const item of podList.items) {
    const pod = orUndefined(() => projectPod(item))
    if (pod === undefined) unreadable.push(`${item.metadata.namespace ?? ''}/${item.metadata.name ?? ''}`)
    else state.setPod(pod)
  }
  return { state, nodes, unreadable }
}

function orUndefined<T>(project: () => T): T | undefined {
  try {
    return project()
  } catch {
    return undefined
  }
}
