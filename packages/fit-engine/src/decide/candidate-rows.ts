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
  /** Undefined for all nodes. */
  readonly asked: AskedNodes | undefined
}

/** The names that the caller asked for. */
export interface AskedNodes {
  readonly names: readonly string[]
  /** The row of each name, or -1 for an unknown one. */
  readonly rows: Int32Array
}

/** Rejection of a node that the caller named but the state does not contain. */
export const unknownNodeStatus: RejectionStatus = {
  plugin: '',
  code: StatusCode.UnschedulableAndUnresolvable,
  reasons: ['node(s) are not known to the scheduler'],
}

interface Resolved extends CandidateRows {
  readonly asked: AskedNodes
  /** The names by row that the rows belong to: another list as soon as a node comes or goes. */
  readonly namesByRow: readonly string[]
}

/** The rows of the latest list of each state: kube-scheduler sends the nodes that passed the filters once more for scoring. */
const latest = new WeakMap<ClusterTable, Resolved>()

/**
 * Returns the rows of the named nodes; of all nodes when `nodeNames` is undefined. The rows of one list are looked up once
 * until a node comes or goes.
 */
export function candidateRows(table: ClusterTable, nodeNames: readonly string[] | undefined): CandidateRows {
  if (nodeNames === undefined) {
    const rows = table.rows.liveRows()
    return { rows, unknownNames: [], total: rows.length, asked: undefined }
  }
  const namesByRow = table.rows.namesByRow()
  const known = latest.get(table)
  if (known?.asked.names === nodeNames && known.namesByRow === namesByRow) return known
  const resolved = { ...resolve(table, nodeNames), namesByRow }
  // A list of one node is looked up faster than kept, and must not replace a long one.
  if (nodeNames.length > 1) latest.set(table, resolved)
  return resolved
}

function resolve(table: ClusterTable, nodeNames: readonly string[]): Omit<Resolved, 'namesByRow'> {
  const isFound = new Uint8Array(table.rows.limit)
  const asked = new Int32Array(nodeNames.length)
  const unknown = new Set<string>()
  let count = 0
  for (let i = 0; i < nodeNames.length; i++) {
    const name = nodeNames[i] ?? ''
    const row = table.rowOf(name)
    asked[i] = row ?? -1
    if (row === undefined) unknown.add(name)
    else if (isFound[row] === 0) {
      isFound[row] = 1
      count += 1
    }
  }
  const rows = new Int32Array(count)
  for (let row = 0, i = 0; i < count; row++) if (isFound[row] === 1) rows[i++] = row
  return {
    rows,
    unknownNames: [...unknown],
    total: rows.length + unknown.size,
    asked: { names: nodeNames, rows: asked },
  }
}
