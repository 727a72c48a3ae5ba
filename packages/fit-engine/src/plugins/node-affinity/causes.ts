import type { Node, NodeSelector, NodeSelectorTerm, Pod } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { isEmptyTerm, parseNodeSelectorTerm, termsOf } from '../../selectors/node-selector-term.ts'
import { labelsText, requirementText, selectorKeys, selectorText } from '../../selectors/selector-text.ts'
import type { NodeMatcher } from '../../selectors/node-selector.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'

/** The affinity that the arguments of the plugin add to that of every pod. */
export interface EnforcedAffinity {
  readonly selector: NodeSelector | undefined
  /** Undefined when every node matches. */
  readonly matches: NodeMatcher | undefined
}

/** Names the labels of the pod's nodeSelector and of its node affinity terms that a node lacks. */
export function nodeAffinityCauses(
  pod: Pod,
  { selector, matches }: EnforcedAffinity,
  cluster: ClusterTable,
): (row: number) => readonly string[] {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return (row) => {
    const node = cluster.node(row)
    const enforced = selector !== undefined && matches?.(node) === false ? [enforcedCause(selector, node)] : []
    return [...enforced, ...selectorCauses(pod, node), ...(required == null ? [] : termCauses(required, node))]
  }
}

function enforcedCause(selector: NodeSelector, node: Node): string {
  return `The scheduler's profile allows only nodes with ${selectorText(selector)}${hasText(node, selectorKeys(selector))}.`
}

function selectorCauses({ spec }: Pod, node: Node): readonly string[] {
  const labels = node.metadata.labels ?? {}
  return Object.entries(spec.nodeSelector ?? {})
    .filter(([key, value]) => labelOf(labels, key) !== (value ?? ''))
    .map(([key, value]) => `The nodeSelector of the pod requires ${key}=${value ?? ''}${hasText(node, [key])}.`)
}

function termCauses(required: NodeSelector, node: Node): readonly string[] {
  const terms = termsOf(required)
  const parsed = terms.map((term) => (isEmptyTerm(term) ? undefined : parseNodeSelectorTerm(term)))
  if (parsed.some((term) => term?.kind === 'valid' && term.matches(node))) return []
  return terms.map((term, index) => {
    const name = `Node affinity term ${index + 1} of ${terms.length}`
    const outcome = parsed[index]
    if (outcome === undefined) return `${name} is empty, and an empty term matches no node.`
    if (outcome.kind === 'invalid') return `${name} is not valid (${outcome.problem}), so it matches no node.`
    return `${name} requires ${unmetText(term, node)}.`
  })
}

/** Lists the requirements of a valid term that the node does not meet, and its labels. */
function unmetText({ matchExpressions, matchFields }: NodeSelectorTerm, node: Node): string {
  const isUnmet = (single: NodeSelectorTerm): boolean => {
    const parsed = parseNodeSelectorTerm(single)
    return parsed.kind === 'invalid' || !parsed.matches(node)
  }
  const expressions = (matchExpressions ?? []).filter((requirement) => isUnmet({ matchExpressions: [requirement] }))
  const fields = (matchFields ?? []).filter((requirement) => isUnmet({ matchFields: [requirement] }))
  const unmet = [...expressions, ...fields].map(requirementText).join(' and ')
  return `${unmet}${hasText(
    node,
    expressions.map(({ key }) => key),
  )}`
}

function hasText(node: Node, keys: readonly string[]): string {
  return keys.length === 0 ? '' : `; the node has ${labelsText(node, keys)}`
}
