import type { Node } from '@berth/types'
import { matchesNode } from './matches-node.ts'
import type { Declaration } from './declaration.ts'

/**
 * Describes the declarations that name a node which does not exist, or whose selector matches no node, in the order of
 * the configuration: `resources[0].nodes.names: no node is named node-z (example.com/dongle)`.
 */
export function findUnmatched(declarations: readonly Declaration[], nodes: Iterable<Node>): readonly string[] {
  const all = [...nodes]
  const known = new Set(all.map(({ metadata }) => metadata.name))
  return declarations.flatMap(({ path, resourceName, nodes: selection }) => {
    if (selection.kind === 'names') {
      const missing = [...selection.names].filter((name) => !known.has(name))
      return missing.map((name) => `${path}.nodes.names: no node is named ${name} (${resourceName})`)
    }
    if (all.some((node) => matchesNode(selection, node))) return []
    return [`${path}.nodes.selector: no node matches the selector (${resourceName})`]
  })
}
