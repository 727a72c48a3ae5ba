import { printableLine } from '@berth/text/printable'
import type { AllPlans } from '../plan/node-plan.ts'
import { describeChange, describeConflict, describeTakeover } from './describe-change.ts'

/** Formats plans for people: each node with its changes and conflicts, declarations without a node, then a summary. */
export function formatPlans({ plans, unmatched }: AllPlans): string {
  const lines = plans.flatMap((plan) => {
    const { nodeName, changes, conflicts } = plan
    if (plan.patch === undefined && conflicts.length === 0) return []
    return [
      `${nodeName}:`,
      ...(plan.takesOver ? [`  ${describeTakeover(plan)}`] : []),
      ...changes.map((change) => `  ${describeChange(change)}`),
      ...conflicts.map((conflict) => `  ${describeConflict(conflict)}`),
    ]
  })
  const changed = plans.filter(({ patch }) => patch !== undefined).length
  const conflicting = plans.filter(({ conflicts }) => conflicts.length > 0).length
  const conflictNote = conflicting > 0 ? `, ${conflicting} with conflicts` : ''
  const summary = `${changed} of ${plans.length} nodes would be changed${conflictNote}.`
  // Annotations of nodes and answers of sources may contain any text.
  return [...lines, ...unmatched, summary].map((line) => `${printableLine(line)}\n`).join('')
}
