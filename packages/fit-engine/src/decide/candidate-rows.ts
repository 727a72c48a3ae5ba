import { StatusCode } from '@berth/types'
import type { ClusterTable } from '../state/cluster-table.ts'
import type { RejectionStatus } from '../framework/cycle.ts'

/** The nodes of one decision. */
export interface CandidateRows {
  /** Ascending; must not be changed. */
  readonly rows: Int32Array
  /** Names from the caller that the state does not know. */
  readonly unknownNames: readonly string[]
  /** Number of known and unknown nodes. */
  readonly total: number
}

/** Rejection of a node that the caller named but the state does not contain. */
export const unknownNodeStatus: RejectionStatus = {
  plugin: '',
  code: StatusCode.UnschedulableAndUnresolvable,
  reasons: ['node(s) are not known to the scheduler'],
}

/** Returns the rows of the named nodes; of all nodes when `nodeNames` is undefined. */
export function candidateRows(table: ClusterTable, nodeNames: readonly string[] | undefined): CandidateRows {
  if (nodeNames === undefined) {
    const rows = table.rows.liveRows()
    return { rows, unknownNames: [], total: rows.length }
  }
  const isFound = new Uint8Array(table.rows.limit)
  const unknown = new Set<string>()
  let count = 0
  for (const name of nodeNames) {
    const row = table.rowOf(name)
    if (row === undefined) unknown.add(name)
    else if (isFound[row] === 0) {
      isFound[row] = 1
      count += 1
    }
  }
  const rows = new Int32Array(count)
  for (let row = 0, i = 0; i < count; row++) if (isFound[row] === 1) rows[i++] = row
  return { rows, unknownNames: [...unknown], total: rows.length + unknown.size }
}
