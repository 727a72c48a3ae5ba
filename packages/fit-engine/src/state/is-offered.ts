import type { ClusterState } from './cluster-state.ts'
import { tableOf } from './create-cluster-state.ts'

/** Returns whether at least one node has the resource in its allocatable, in use or not. */
export function isOffered(state: ClusterState, resourceName: string): boolean {
  const { rows, store } = tableOf(state)
  const id = store.names.idOf(resourceName)
  return id !== undefined && rows.liveRows().some((row) => store.allocatable(id, row) > 0)
}
