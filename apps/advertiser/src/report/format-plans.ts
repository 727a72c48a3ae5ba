import type { NodePlan } from '../plan/plan-node.ts'
import { changeSentence, conflictSentence } from './describe-change.ts'

/** Plans as a person reads them: each node with its changes and what is not written, then the sum. */
export function planText(plans: readonly NodePlan[]): string {
  const lines = plans.flatMap(({ nodeName, changes, conflicts }) => {
    if (changes.length === 0 && conflicts.length === 0) return []
    return [
      `${nodeName}:`,
      ...changes.map((change) => `  ${changeSentence(change)}`),
      ...conflicts.map((conflict) => `  ${conflictSentence(conflict)}`),
    ]
  })
  const changed = plans.filter(({ changes }) => changes.length > 0).length
  const held = plans.filter(({ conflicts }) => conflicts.length > 0).length
  const sum = `${changed} of ${plans.length} nodes would be changed${held > 0 ? `, ${held} not entirely` : ''}.`
  return `${[...lines, sum].join('\n')}\n`
}
