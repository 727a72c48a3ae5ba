import type { Node, NodeAffinity } from '@berth/types'
import { isEmptyTerm, parseNodeSelectorTerm } from './node-selector-term.ts'

/** Preferences of a pod for nodes, or why they cannot be asked. */
export type PreferredTerms =
  /** `weightOf` is the sum of the weights of all terms that the node matches. */
  | { readonly kind: 'valid'; readonly weightOf: (node: Node) => number }
  | { readonly kind: 'invalid'; readonly problem: string }

type Preferences = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>

/**
 * Makes preferred terms ready to be asked. Terms that are empty or weigh nothing are not read.
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
