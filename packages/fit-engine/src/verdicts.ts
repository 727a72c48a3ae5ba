import { StatusCode, type Verdict } from '@berth/types'
import type { Decision } from './decision.ts'

/** The decision as one verdict a node, sorted by node name; empty when the decision failed. */
export function verdicts(decision: Decision): readonly Verdict[] {
  const list: Verdict[] = decision.feasible.map((node) => ({ kind: 'fits', node }))
  for (const [node, { code, rejection }] of decision.rejected) {
    const kind = code === StatusCode.Unschedulable ? 'unschedulable' : 'unresolvable'
    list.push({ kind, node, rejections: [rejection] })
  }
  return list.sort((a, b) => (a.node < b.node ? -1 : 1))
}
