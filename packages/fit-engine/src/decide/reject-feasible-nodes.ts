import type { Decision, NodeRejection } from './decision.ts'
import { decisionOfRejections } from './decision-of-rejections.ts'
import { fitErrorMessage } from './fit-error.ts'
import type { Framework } from '../framework/framework.ts'
import { mergeReasons } from './merge-reasons.ts'

/**
 * Returns the decision with every feasible node rejected as well, after a check outside the engine, such as an
 * extender, has rejected them all. The message counts the reasons of the check together with those of the plugins.
 *
 * @param decision - Made with `rejections: 'always'`. Returned unchanged when no node is feasible or a plugin failed.
 * @param rejectionOf - Returns why the outside check rejected a feasible node.
 * @param framework - The plugins that made the decision.
 */
export function rejectFeasibleNodes(
  decision: Decision,
  rejectionOf: (nodeName: string) => NodeRejection,
  framework: Framework,
): Decision {
  if (decision.error !== undefined || decision.feasible.length === 0) return decision
  const rejected = new Map(decision.rejected)
  for (const nodeName of decision.feasible) rejected.set(nodeName, rejectionOf(nodeName))
  const message = fitErrorMessage(rejected.size, countReasons(rejected, framework.contributed))
  return decisionOfRejections(rejected, { message, funnel: decision.funnel })
}

function countReasons(
  rejected: ReadonlyMap<string, NodeRejection>,
  contributed: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const merged = mergeReasons(
    rejected.values().map(({ rejection }) => [rejection, 1] as const),
    contributed,
  )
  const counts = new Map<string, number>()
  for (const { rejection } of rejected.values()) {
    for (const reason of merged.get(rejection.plugin) ?? rejection.reasons)
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return counts
}
