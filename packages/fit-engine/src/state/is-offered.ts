import type { ClusterState } from './cluster-state.ts'
import { tableOf } from './create-cluster-state.ts'

/** Whether the status of some node offers the resource, used up or not. */
export function isOffered(state: ClusterState, resourceName: string): boolean {
  const { rows, store } = tableOf(state)
  const id = store.names.idOf(resourceName)
  return id !== undefined && rows.liveRows().some((row) => store.allocatable(id, row) > 0)
}
