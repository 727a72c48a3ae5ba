import type { Node } from '@berth/types'
import { CORDONED } from '../../plugins/node-unschedulable/plugin.ts'
import type { NodeExplanation, RemoveTaintFix, UncordonFix } from '../explanation.ts'
import { cheapestVerified, feasibleAfter, type FixSearch, nodeOf, rejectedOnlyBy } from '../fix-search.ts'
import { isConditionTaint, taintText, untoleratedTaints } from '../../plugins/taint-toleration/untolerated-taints.ts'

/** Both costs are high, because the fixes open the node to every pod. */
const UNCORDON_COST = 30
const TAINT_COST = 40

const taintFilters: ReadonlySet<string> = new Set(['TaintToleration'])
/** The control plane taints a cordoned node, so both filters reject it. */
const cordonFilters: ReadonlySet<string> = new Set(['NodeUnschedulable', 'TaintToleration'])

/** Proposes to uncordon some node. */
export function uncordon(search: FixSearch): UncordonFix | undefined {
  const cordoned = rejectedOnlyBy(search, cordonFilters).filter(
    (explanation) => nodeOf(search, explanation).spec?.unschedulable === true,
  )
  return cheapestVerified(
    cordoned.map((explanation) => ({
      cost: UNCORDON_COST,
      node: explanation.node,
      verify: () => verifyUncordon(search, explanation),
    })),
  )
}

function verifyUncordon(search: FixSearch, explanation: NodeExplanation): UncordonFix | undefined {
  const { node } = explanation
  const { spec = {}, ...given } = nodeOf(search, explanation)
  const { unschedulable: _, ...open } = spec
  const taints = (spec.taints ?? []).filter(({ key }) => key !== CORDONED.key)
  if (!feasibleAfter(search, { node: { ...given, spec: { ...open, taints } } }).includes(node)) return undefined
  return { kind: 'uncordon', node, cost: UNCORDON_COST, sentence: `Uncordon node ${node}.`, verified: true }
}

/**
 * Proposes to remove the untolerated taints of some node. Skips a node with one that stands for a condition such as a
 * full disk.
 */
export function removeTaints(search: FixSearch): RemoveTaintFix | undefined {
  const attempts = rejectedOnlyBy(search, taintFilters).flatMap((explanation) => {
    const node = nodeOf(search, explanation)
    const taints = untoleratedTaints(search.pod, node)
    if (taints.some(isConditionTaint)) return []
    const cost = TAINT_COST * taints.length
    const verify = (): RemoveTaintFix | undefined => {
      if (!feasibleAfter(search, { node: withoutTaints(node, taints) }).includes(explanation.node)) return undefined
      const sentence = `Remove the taint ${taints.map(taintText).join(' and ')} from node ${explanation.node}.`
      return { kind: 'remove-taint', node: explanation.node, taints, cost, sentence, verified: true }
    }
    return { cost, node: explanation.node, verify }
  })
  return cheapestVerified(attempts)
}

function withoutTaints({ spec, ...node }: Node, removed: RemoveTaintFix['taints']): Node {
  return { ...node, spec: { ...spec, taints: (spec?.taints ?? []).filter((taint) => !removed.includes(taint)) } }
}
