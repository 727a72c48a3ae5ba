import type { Node, NodeSelector, Pod } from '@berth/types'
import { labelOf } from './label-requirement.ts'
import { isEmptyTerm, type ParsedTerm, parseNodeSelectorTerm, termsOf } from './node-selector-term.ts'

/** Tells whether a node is selected. */
export type NodeMatcher = (node: Node) => boolean

/** Parses the terms that are not empty; empty terms select nothing. */
function parseTerms(selector: NodeSelector): readonly ParsedTerm[] {
  return termsOf(selector)
    .filter((term) => !isEmptyTerm(term))
    .map(parseNodeSelectorTerm)
}

/** Returns a matcher of nodes that match at least one term. Empty and invalid terms match nothing. */
export function nodeSelectorMatcher(selector: NodeSelector): NodeMatcher {
  const terms = parseTerms(selector).flatMap((term) => (term.kind === 'valid' ? term.matches : []))
  return (node) => terms.some((matches) => matches(node))
}

/** Returns why terms of the selector are not valid, or undefined when all are valid. */
export function nodeSelectorProblem(selector: NodeSelector): string | undefined {
  const problems = parseTerms(selector).flatMap((term) => (term.kind === 'invalid' ? term.problem : []))
  return problems.length === 0 ? undefined : problems.join('; ')
}

/**
 * Returns a matcher of the nodes that the pod's nodeSelector and required node affinity allow.
 *
 * @see k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go GetRequiredNodeAffinity (v1.36)
 */
export function requiredNodeMatcher({ spec }: Pod): NodeMatcher {
  const requiredLabels = Object.entries(spec.nodeSelector ?? {})
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const matchesTerms = required == null ? undefined : nodeSelectorMatcher(required)
  return (node) => {
    const labels = node.metadata.labels ?? {}
    const hasLabels = requiredLabels.every(([key, value]) => labelOf(labels, key) === (value ?? ''))
    return hasLabels && (matchesTerms?.(node) ?? true)
  }
}
