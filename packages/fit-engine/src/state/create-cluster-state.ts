import type { ClusterState } from './cluster-state.ts'
import { StateError } from '../errors.ts'
import { ClusterTable } from './cluster-table.ts'

/** Creates an empty cluster state. */
export function createClusterState(): ClusterState {
  return new ClusterTable()
}

/**
 * Returns the table behind a state from {@link createClusterState}.
 *
 * @throws StateError BERTH_FIT_FOREIGN_STATE for any other object.
 */
export function tableOf(state: ClusterState): ClusterTable {
  if (state instanceof ClusterTable) return state
  throw new StateError('read cluster state: it was not created by this copy of the fit engine', {
    code: 'BERTH_FIT_FOREIGN_STATE',
  })
}
