import type { LabelSelector, LabelSelectorRequirement, Node } from '@berth/types'
import type { NodeSelection } from './declaration.ts'

/** Reports whether a declaration's node selection includes this node. */
export function matchesNode(selection: NodeSelection, node: Node): boolean {
  if (selection.kind === 'names') return selection.names.has(node.metadata.name ?? '')
  return matchesSelector(selection.selector, new Map(Object.entries(node.metadata.labels ?? {})))
}

function matchesSelector(selector: LabelSelector, labels: ReadonlyMap<string, string>): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels.get(key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => matchesRequirement(requirement, labels))
  )
}

function matchesRequirement(
  { key, operator, values }: LabelSelectorRequirement,
  labels: ReadonlyMap<string, string>,
): boolean {
  const value = labels.get(key)
  switch (operator) {
    case 'In':
      return value !== undefined && (values ?? []).includes(value)
    case 'NotIn':
      return value === undefined || !(values ?? []).includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      // The configuration schema rejects every other operator.
      return false
  }
}
