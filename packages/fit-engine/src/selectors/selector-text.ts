import type { Node, NodeSelector, NodeSelectorRequirement } from '@berth/types'
import { labelOf } from './label-requirement.ts'
import { isEmptyTerm, termsOf } from './node-selector-term.ts'

function requirementText({ key, operator, values }: NodeSelectorRequirement): string {
  switch (operator) {
    case 'Exists':
      return `the label ${key}`
    case 'DoesNotExist':
      return `no label ${key}`
    case 'In':
      return `${key} in (${(values ?? []).join(', ')})`
    case 'NotIn':
      return `${key} not in (${(values ?? []).join(', ')})`
    default:
      return `${key} ${operator} ${(values ?? []).join(', ')}`
  }
}

/** Returns the labels that the selector requires of a node: `disk in (ssd) and the label zone, or disk in (nvme)`. */
export function selectorText(selector: NodeSelector): string {
  const terms = termsOf(selector).filter((term) => !isEmptyTerm(term) && (term.matchExpressions ?? []).length > 0)
  if (terms.length === 0) return 'labels that no node has (its terms are empty)'
  return terms.map(({ matchExpressions }) => (matchExpressions ?? []).map(requirementText).join(' and ')).join(', or ')
}

/** Returns the keys of the labels that the selector requires. */
export function selectorKeys(selector: NodeSelector): readonly string[] {
  return termsOf(selector).flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key))
}

/** Returns what the node has of these labels: `node a has disk=hdd and no label zone`. */
export function labelsOfNodeText({ metadata }: Node, keys: readonly string[]): string {
  const labels = metadata.labels ?? {}
  const parts = [...new Set(keys)].map((key) => {
    const value = labelOf(labels, key)
    return value === undefined ? `no label ${key}` : `${key}=${value}`
  })
  return `node ${metadata.name ?? ''} has ${parts.join(' and ')}`
}
