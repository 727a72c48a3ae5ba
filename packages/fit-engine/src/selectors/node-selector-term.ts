import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@berth/types'
import { type Labels, parseLabelRequirement } from './label-requirement.ts'

/** A parsed term, or the reason why it is not valid. */
export type ParsedTerm =
  | { readonly kind: 'valid'; readonly matches: (node: Node) => boolean }
  | { readonly kind: 'invalid'; readonly problem: string }

type NodePredicate = (node: Node) => boolean

const noLabels: Labels = {}

/** Returns the terms of the selector. A null term counts as an empty term, as in Go. */
export function termsOf({ nodeSelectorTerms }: NodeSelector): readonly NodeSelectorTerm[] {
  return (nodeSelectorTerms ?? []).map((term) => term ?? {})
}

/** Returns whether the term has no requirement. Such a term selects nothing and is not validated. */
export function isEmptyTerm({ matchExpressions, matchFields }: NodeSelectorTerm): boolean {
  return (matchExpressions ?? []).length === 0 && (matchFields ?? []).length === 0
}

function parseExpression(requirement: NodeSelectorRequirement): NodePredicate | string {
  const parsed = parseLabelRequirement(requirement)
  if (parsed.kind === 'invalid') return parsed.problem
  return (node) => parsed.matches(node.metadata.labels ?? noLabels)
}

/** Parses a field requirement. A node's only field is its name, any other is empty; a node without a name matches. */
function parseField({ key, operator, values }: NodeSelectorRequirement): NodePredicate | string {
  if (operator !== 'In' && operator !== 'NotIn') return `"${operator}" is not a valid field operator: use In or NotIn`
  const [expected, ...others] = values ?? []
  if (expected === undefined || others.length > 0) return `operator ${operator} of a field needs exactly one value`
  return ({ metadata }) => {
    const name = metadata.name ?? ''
    if (name === '') return true
    const value = key === 'metadata.name' ? name : ''
    return (value === expected) === (operator === 'In')
  }
}

/**
 * Parses a term. A node matches the term when it meets every requirement.
 *
 * @param term - Not empty, see {@link isEmptyTerm}.
 * @see k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go (v1.36)
 */
export function parseNodeSelectorTerm({ matchExpressions, matchFields }: NodeSelectorTerm): ParsedTerm {
  const parsed = [...(matchExpressions ?? []).map(parseExpression), ...(matchFields ?? []).map(parseField)]
  const problems = parsed.filter((entry) => typeof entry === 'string')
  if (problems.length > 0) return { kind: 'invalid', problem: problems.join('; ') }
  const predicates = parsed.filter((entry) => typeof entry !== 'string')
  return { kind: 'valid', matches: (node) => predicates.every((matches) => matches(node)) }
}
