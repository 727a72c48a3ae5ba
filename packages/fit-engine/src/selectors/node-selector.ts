import type { Node, NodeSelector, Pod } from '@berth/types'
import { labelOf } from './label-requirement.ts'
import { isEmptyTerm, type ParsedTerm, parseNodeSelectorTerm, termsOf } from './node-selector-term.ts'

/** Whether a node is selected. */
export type NodeMatcher = (node: Node) => boolean

/** Terms that say something; the others select nothing. */
function parsedTerms(selector: NodeSelector): readonly ParsedTerm[] {
  return termsOf(selector)
    .filter((term) => !isEmptyTerm(term))
    .map(parseNodeSelectorTerm)
}

/** Selects nodes that match at least one term; empty and invalid terms match nothing. */
export function nodeSelectorMatcher(selector: NodeSelector): NodeMatcher {
  const terms = parsedTerms(selector).flatMap((term) => (term.kind === 'valid' ? term.matches : []))
  return (node) => terms.some((matches) => matches(node))
}

/** Why some term of the selector is not valid; undefined when all are. */
export function selectorProblem(selector: NodeSelector): string | undefined {
  const problems = parsedTerms(selector).flatMap((term) => (term.kind === 'invalid' ? term.problem : []))
  return problems.length === 0 ? undefined : problems.join('; ')
}

/**
 * Selects the nodes that a pod insists on: by its nodeSelector and by its required node affinity.
 *
 * @see k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go GetRequiredNodeAffinity (v1.36)
 */
export function requiredNodeMatcher({ spec }: Pod): NodeMatcher {
  const labels = Object.entries(spec.nodeSelector ?? {})
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const matchesTerms = required == null ? undefined : nodeSelectorMatcher(required)
  return (node) => {
    const carried = node.metadata.labels ?? {}
    return labels.every(([key, value]) => labelOf(carried, key) === (value ?? '')) && (matchesTerms?.(node) ?? true)
  }
}
