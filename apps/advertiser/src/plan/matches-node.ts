import type { LabelSelector, LabelSelectorRequirement, Node } from '@berth/types'
import type { NodeChoice } from './declaration.ts'

/** Whether a declaration's choice of nodes takes in this node. */
export function choosesNode(choice: NodeChoice, node: Node): boolean {
  if (choice.kind === 'names') return choice.names.has(node.metadata.name ?? '')
  return selects(choice.selector, new Map(Object.entries(node.metadata.labels ?? {})))
}

function selects(selector: LabelSelector, labels: ReadonlyMap<string, string>): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels.get(key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labels))
  )
}

/** An operator that is none of the four holds nowhere; the configuration does not let one through. */
function holds({ key, operator, values }: LabelSelectorRequirement, labels: ReadonlyMap<string, string>): boolean {
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
      return false
  }
}
