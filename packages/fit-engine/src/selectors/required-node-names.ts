import type { NodeSelector, NodeSelectorTerm } from '@berth/types'
import { termsOf } from './node-selector-term.ts'

/** Returns the names that every `metadata.name In` of the term allows, or undefined when the term has no such field. */
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
 * Returns the only node names that can match the selector. Returns undefined when at least one term does not restrict
 * the name, or when there are no terms. The set is empty when the names of a term contradict each other. As upstream
 * (v1.36), the terms need not be valid.
 */
export function requiredNodeNames(selector: NodeSelector): ReadonlySet<string> | undefined {
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
