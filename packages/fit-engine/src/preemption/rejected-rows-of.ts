import type { Decision } from '../decide/decision.ts'
import { DecisionRecord } from '../decide/decision-record.ts'
import { RejectedRows } from '../decide/rejected-nodes.ts'
import type { ClusterTable } from '../state/cluster-table.ts'

/**
 * Returns the rejected rows of a decision, in any order. Without the nodes that were deleted after the decision, so
 * there may be fewer than the decision counts.
 */
export function rejectedRowsOf(decision: Decision, table: ClusterTable): RejectedRows {
  const recorded = decision instanceof DecisionRecord ? decision.rejectedRowsOf(table) : undefined
  if (recorded !== undefined) return recorded
  const rows = new RejectedRows()
  for (const [name, { code, rejection }] of decision.rejected) {
    const row = table.rowOf(name)
    if (row !== undefined) rows.add(row, rejection.plugin, code, rejection.reasons)
  }
  return rows
}
