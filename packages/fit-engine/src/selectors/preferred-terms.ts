import type { Node, NodeAffinity } from '@berth/types'
import { isEmptyTerm, parseNodeSelectorTerm } from './node-selector-term.ts'

/** The parsed node preferences of a pod, or the reason why they are not valid. */
export type PreferredTerms =
  /** `weightOf` returns the sum of the weights of all terms that the node matches. */
  | { readonly kind: 'valid'; readonly weightOf: (node: Node) => number }
  | { readonly kind: 'invalid'; readonly problem: string }

type Preferences = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>

/**
 * Parses preferred node affinity terms. Terms that are empty or have weight 0 are ignored without being validated.
 *
 * @see k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go NewPreferredSchedulingTerms (v1.36)
 */
export function parsePreferredTerms(preferences: Preferences): PreferredTerms {
  const terms = preferences
    .map((preference, index) => ({ ...preference, index }))
    .filter(({ weight, preference }) => (weight ?? 0) !== 0 && !isEmptyTerm(preference ?? {}))
    .map(({ weight, preference, index }) => ({ weight, index, parsed: parseNodeSelectorTerm(preference) }))
  const problems = terms.flatMap(({ parsed, index }) =>
    parsed.kind === 'invalid' ? `[${index}]: ${parsed.problem}` : [],
  )
  if (problems.length > 0) return { kind: 'invalid', problem: problems.join('; ') }
  const valid = terms.flatMap(({ weight, parsed }) =>
    parsed.kind === 'valid' ? { weight, matches: parsed.matches } : [],
  )
  return {
    kind: 'valid',
    weightOf: (node) => valid.reduce((sum, { weight, matches }) => (matches(node) ? sum + weight : sum), 0),
  }
}
