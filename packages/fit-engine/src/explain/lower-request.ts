import type { LowerRequestFix, NodeExplanation } from './explanation.ts'
import {
  type FixAttempt,
  cheapestVerified,
  feasibleAfter,
  type FixSearch,
  onlyLacksResources,
  share,
} from './fix-search.ts'
import { formatAmount } from './format-amount.ts'
import { withRequest } from './with-request.ts'

/**
 * The cost is BASE_COST, plus SHARE_COST times the largest share of a request that is given up. It is low, because only
 * the pod's owner is affected.
 */
const BASE_COST = 1
const SHARE_COST = 9

/** Proposes to request no more than some node has free. */
export function lowerRequest(search: FixSearch): LowerRequestFix | undefined {
  return cheapestVerified(
    search.nodes.filter(onlyLacksResources).flatMap((node) => reductionAttempt(search, node) ?? []),
  )
}

function reductionAttempt(
  search: FixSearch,
  { node, resources }: NodeExplanation,
): FixAttempt<LowerRequestFix> | undefined {
  const short = resources.filter(({ asks, free }) => asks > free)
  if (short.length === 0 || short.some(({ free }) => free <= 0n)) return undefined
  const changes = short.map(({ resourceName, asks, free }) => ({ resourceName, from: asks, to: free }))
  const cost = BASE_COST + SHARE_COST * Math.max(...changes.map(({ from, to }) => share(from - to, from)))
  const verify = (): LowerRequestFix | undefined => {
    const smaller = withRequest(search.pod, new Map(changes.map(({ resourceName, to }) => [resourceName, to])))
    if (smaller === undefined) return undefined
    if (!feasibleAfter(search, { pod: smaller }).includes(node)) return undefined
    const parts = changes.map(
      ({ resourceName, from, to }) =>
        `${formatAmount(resourceName, to)} ${resourceName} instead of ${formatAmount(resourceName, from)}`,
    )
    const sentence = `Request ${parts.join(' and ')}: node ${node} has that much left.`
    return { kind: 'lower-request', node, changes, cost, sentence, verified: true }
  }
  return { cost, node, verify }
}
