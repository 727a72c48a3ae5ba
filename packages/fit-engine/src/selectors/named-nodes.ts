import type { NodeSelector, NodeSelectorTerm } from '@berth/types'
import { termsOf } from './node-selector-term.ts'

/** Names that every `metadata.name In` of the term allows; undefined when the term has none. */
function namesOfTerm({ matchFields }: NodeSelectorTerm): ReadonlySet<string> | undefined {
  let names: ReadonlySet<string> | undefined
  for (const { key, operator, values } of matchFields ?? []) {
    if (key !== 'metadata.name' || operator !== 'In') continue
    const allowed = new Set(values ?? [])
    names = names === undefined ? allowed : names.intersection(allowed)
  }
  return names
}

/**
 * The names outside of which no node can match, where every term names nodes; undefined where some term does not, or
 * there are no terms. Empty: the names contradict each other. Terms need not be valid, as upstream (v1.36).
 */
export function namedNodes(selector: NodeSelector): ReadonlySet<string> | undefined {
  const terms = termsOf(selector)
  if (terms.length === 0) return undefined
  const names = new Set<string>()
  for (const term of terms) {
    const named = namesOfTerm(term)
    if (named === undefined) return undefined
    for (const name of named) names.add(name)
  }
  return names
}
