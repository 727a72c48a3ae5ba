import type { LabelSelector, LabelSelectorRequirement, Node } from '@berth/types'
import type { NodeSelection } from './declaration.ts'

/** Reports whether a declaration's node selection includes this node. */
export function matchesNode(selection: NodeSelection, node: Node): boolean {
  if (selection.kind === 'names') return selection.names.has(node.metadata.name ?? '')
  const { labels = {} } = node.metadata
  // Own properties, because a label may have the name of an inherited one. Without a copy: this runs for each pair of a
  // declaration and a node.
  return matchesSelector(selection.selector, (key) => (Object.hasOwn(labels, key) ? labels[key] : undefined))
}

/** Returns the value of a label; undefined if the node does not have it. */
type LabelReader = (key: string) => string | undefined

function matchesSelector(selector: LabelSelector, labelOf: LabelReader): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labelOf(key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => matchesRequirement(requirement, labelOf))
  )
}

function matchesRequirement({ key, operator, values }: LabelSelectorRequirement, labelOf: LabelReader): boolean {
  const value = labelOf(key)
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
