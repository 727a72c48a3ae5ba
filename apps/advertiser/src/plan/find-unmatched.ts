import type { Node } from '@berth/types'
import { matchesNode } from './matches-node.ts'
import type { DesiredState } from './desired-state.ts'

/**
 * Describes the declarations that name a node which does not exist, or whose selector matches no node, in the order of
 * the configuration: `resources[0].nodes.names: no node is named node-z (example.com/dongle)`. A process for one node knows
 * no others, so that it reports only when its own node does not exist.
 */
export function findUnmatched(
  { declarations, onlyNode }: Pick<DesiredState, 'declarations' | 'onlyNode'>,
  nodes: Iterable<Node>,
): readonly string[] {
  const all = [...nodes]
  const known = new Set(all.map(({ metadata }) => metadata.name))
  if (onlyNode !== undefined) return known.has(onlyNode) ? [] : [`nodeName: no node is named ${onlyNode}`]
  return declarations.flatMap(({ path, resourceName, nodes: selection }) => {
    if (selection.kind === 'names') {
      const missing = [...selection.names].filter((name) => !known.has(name))
      return missing.map((name) => `${path}.nodes.names: no node is named ${name} (${resourceName})`)
    }
    if (all.some((node) => matchesNode(selection, node))) return []
    return [`${path}.nodes.selector: no node matches the selector (${resourceName})`]
  })
}
