import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@berth/types'
import { type Labels, parseLabelRequirement } from './label-requirement.ts'

/** A term that can be asked of nodes, or why it cannot. */
export type ParsedTerm =
  | { readonly kind: 'valid'; readonly matches: (node: Node) => boolean }
  | { readonly kind: 'invalid'; readonly problem: string }

type Question = (node: Node) => boolean

const noLabels: Labels = {}

/** The terms of the selector; a null among them is an empty one, as Go reads it. */
export function termsOf({ nodeSelectorTerms }: NodeSelector): readonly NodeSelectorTerm[] {
  return (nodeSelectorTerms ?? []).map((term) => term ?? {})
}

/** A term without any requirement selects nothing and is not even read. */
export function isEmptyTerm({ matchExpressions, matchFields }: NodeSelectorTerm): boolean {
  return (matchExpressions ?? []).length === 0 && (matchFields ?? []).length === 0
}

function parseExpression(requirement: NodeSelectorRequirement): Question | string {
  const parsed = parseLabelRequirement(requirement)
  if (parsed.kind === 'invalid') return parsed.problem
  return (node) => parsed.matches(node.metadata.labels ?? noLabels)
}

/** The only field of a node is its name; any other is empty. A node without a name has no fields to ask for. */
function parseField({ key, operator, values }: NodeSelectorRequirement): Question | string {
  if (operator !== 'In' && operator !== 'NotIn')
    return `"${operator}" is no operator of a field; there are In and NotIn`
  const [wanted, ...others] = values ?? []
  if (wanted === undefined || others.length > 0) return `operator ${operator} of a field needs exactly one value`
  return ({ metadata }) => {
    const name = metadata.name ?? ''
    if (name === '') return true
    const value = key === 'metadata.name' ? name : ''
    return (value === wanted) === (operator === 'In')
  }
}

/**
 * Makes a term ready to be asked: a node matches when it meets every requirement.
 *
 * @param term - Not empty, see {@link isEmptyTerm}.
 * @see k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go (v1.36)
 */
export function parseNodeSelectorTerm({ matchExpressions, matchFields }: NodeSelectorTerm): ParsedTerm {
  const parsed = [...(matchExpressions ?? []).map(parseExpression), ...(matchFields ?? []).map(parseField)]
  const problems = parsed.filter((entry) => typeof entry === 'string')
  if (problems.length > 0) return { kind: 'invalid', problem: problems.join('; ') }
  const questions = parsed.filter((entry) => typeof entry !== 'string')
  return { kind: 'valid', matches: (node) => questions.every((matches) => matches(node)) }
}
