import type { Taint, Toleration } from '@berth/types'
import type { TolerateFix } from '../explanation.ts'
import { cheapestVerified, feasibleAfter, type FixSearch, nodeOf, rejectedOnlyBy } from '../fix-search.ts'
import { isConditionTaint, taintText, untoleratedTaints } from '../../plugins/taint-toleration/untolerated-taints.ts'

/** Cost of one toleration: it changes the pod alone, but overrides a decision about the node. */
const TOLERATION_COST = 12

const taintFilters: ReadonlySet<string> = new Set(['TaintToleration'])

/**
 * Proposes to tolerate the taints of some node. Skips a node with one that stands for a condition such as a full disk.
 */
export function tolerate(search: FixSearch): TolerateFix | undefined {
  const attempts = rejectedOnlyBy(search, taintFilters).flatMap((explanation) => {
    const { node } = explanation
    const taints = untoleratedTaints(search.pod, nodeOf(search, explanation))
    if (taints.some(isConditionTaint)) return []
    const cost = TOLERATION_COST * taints.length
    return { cost, node, verify: () => verifyTolerations(search, { node, taints, cost }) }
  })
  return cheapestVerified(attempts)
}

function tolerationOf({ key, value = '', effect }: Taint): Toleration {
  return value === '' ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect }
}

function verifyTolerations(
  search: FixSearch,
  { node, taints, cost }: { readonly node: string; readonly taints: readonly Taint[]; readonly cost: number },
): TolerateFix | undefined {
  const { pod } = search
  const tolerations = taints.map(tolerationOf)
  const tolerant = { ...pod, spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), ...tolerations] } }
  if (!feasibleAfter(search, { pod: tolerant }).includes(node)) return undefined
  const sentence = `Tolerate ${taints.map(taintText).join(' and ')}, with which node ${node} is tainted.`
  return { kind: 'tolerate', node, tolerations, cost, sentence, verified: true }
}
