import type { LabelSelector, Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@berth/types'
import { labelOf } from './label-requirement.ts'
import { isEmptyTerm, termsOf } from './node-selector-term.ts'

/** Returns a requirement as a phrase after "requires": `disk in (ssd, nvme)`, `the label zone`. */
export function requirementText({ key, operator, values }: NodeSelectorRequirement): string {
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
  const terms = termsOf(selector).filter((term) => !isEmptyTerm(term))
  if (terms.length === 0) return 'labels that no node has (its terms are empty)'
  return terms.map((term) => requirementsOf(term).map(requirementText).join(' and ')).join(', or ')
}

/** Returns the requirements of a term on labels and on fields. */
function requirementsOf({ matchExpressions, matchFields }: NodeSelectorTerm): readonly NodeSelectorRequirement[] {
  return [...(matchExpressions ?? []), ...(matchFields ?? [])]
}

/** Returns a selector of labels as kubectl writes it: `app=web,tier in (a, b),!old`; an absent and an empty one in words. */
export function labelSelectorText(selector: LabelSelector | null | undefined): string {
  if (selector == null) return 'no pod'
  const { matchLabels, matchExpressions } = selector
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key
    return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${(values ?? []).join(', ')})`
  })
  const parts = [...labels, ...expressions]
  return parts.length === 0 ? 'any pod' : parts.join(',')
}

/** Returns the keys of the labels that the selector requires. */
export function selectorKeys(selector: NodeSelector): readonly string[] {
  return termsOf(selector).flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key))
}

/** Returns what the node has of these labels: `node a has disk=hdd and no label zone`. */
export function labelsOfNodeText(node: Node, keys: readonly string[]): string {
  return `node ${node.metadata.name ?? ''} has ${labelsText(node, keys)}`
}

/** Returns the labels of a node with these keys: `disk=hdd and no label zone`. */
export function labelsText({ metadata }: Node, keys: readonly string[]): string {
  const labels = metadata.labels ?? {}
  const parts = [...new Set(keys)].map((key) => {
    const value = labelOf(labels, key)
    return value === undefined ? `no label ${key}` : `${key}=${value}`
  })
  return parts.join(' and ')
}
