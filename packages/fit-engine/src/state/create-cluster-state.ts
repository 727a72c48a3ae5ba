import type { ClusterState } from './cluster-state.ts'
import { StateError } from '../errors.ts'
import { ClusterTable } from './cluster-table.ts'

/** Makes an empty cluster state. */
export function createClusterState(): ClusterState {
  return new ClusterTable()
}

/**
 * The engine's own view of a state that {@link createClusterState} made.
 *
 * @throws StateError BERTH_FIT_FOREIGN_STATE for any other object.
 */
export function tableOf(state: ClusterState): ClusterTable {
  if (state instanceof ClusterTable) return state
  throw new StateError('read cluster state: it was not made by this fit engine', { code: 'BERTH_FIT_FOREIGN_STATE' })
}
