import type { NodePlan } from '../plan/plan-node.ts'
import { describeChange, describeConflict } from './describe-change.ts'

/** Formats plans for people: each node with its changes and conflicts, then a summary. */
export function formatPlans(plans: readonly NodePlan[]): string {
  const lines = plans.flatMap(({ nodeName, changes, conflicts }) => {
    if (changes.length === 0 && conflicts.length === 0) return []
    return [
      `${nodeName}:`,
      ...changes.map((change) => `  ${describeChange(change)}`),
      ...conflicts.map((conflict) => `  ${describeConflict(conflict)}`),
    ]
  })
  const changed = plans.filter(({ changes }) => changes.length > 0).length
  const conflicting = plans.filter(({ conflicts }) => conflicts.length > 0).length
  const conflictNote = conflicting > 0 ? `, ${conflicting} with conflicts` : ''
  const summary = `${changed} of ${plans.length} nodes would be changed${conflictNote}.`
  return `${[...lines, summary].join('\n')}\n`
}
