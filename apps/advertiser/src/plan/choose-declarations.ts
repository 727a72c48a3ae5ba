import type { Node } from '@berth/types'
import type { Declaration } from './declaration.ts'
import { matchesNode } from './matches-node.ts'

/** The declarations that select one node for one resource. */
export interface Choice {
  /** The one that applies. Several are entries of the file that contradict each other, so that none applies. */
  readonly applied: readonly Declaration[]
  /** Objects that would apply without the others, highest precedence first. */
  readonly overridden: readonly Declaration[]
}

/**
 * Chooses which declarations apply to a node, by resource name.
 *
 * @returns Empty when no declaration selects the node.
 */
export function chooseDeclarations(declarations: readonly Declaration[], node: Node): ReadonlyMap<string, Choice> {
  const byResource = Map.groupBy(
    declarations.filter(({ nodes }) => matchesNode(nodes, node)),
    ({ resourceName }) => resourceName,
  )
  return new Map([...byResource].map(([resourceName, matching]) => [resourceName, choose(matching)]))
}

/**
 * Chooses among declarations that select one node for one resource: entries of the file before objects, objects by
 * precedence, then the older one, then by name.
 */
function choose(matching: readonly Declaration[]): Choice {
  const fromFile = matching.filter(({ origin }) => origin.kind === 'file')
  const objects = matching.filter(({ origin }) => origin.kind === 'object').toSorted(compareObjects)
  return fromFile.length > 0
    ? { applied: fromFile, overridden: objects }
    : { applied: objects.slice(0, 1), overridden: objects.slice(1) }
}

function compareObjects({ origin: a }: Declaration, { origin: b }: Declaration): number {
  if (a.kind !== 'object' || b.kind !== 'object') return 0
  return b.precedence - a.precedence || a.createdAtMs - b.createdAtMs || (a.name < b.name ? -1 : 1)
}
