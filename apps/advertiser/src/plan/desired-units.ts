import type { Node } from '@berth/types'
import { choosesNode } from './matches-node.ts'
import type { Declaration, SourceAmount } from './declaration.ts'

/** What one node is to offer of one resource. */
export type Desired =
  | { readonly kind: 'units'; readonly units: bigint }
  /** The source has no fresh answer: the node keeps what it has. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Several declarations speak of this node and resource: none of them is obeyed, the node keeps what it has. */
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] }

/** A source's answer for one node, looked up by who plans. */
export type SourceReading = (declaration: Declaration, source: SourceAmount, nodeName: string) => Desired

/**
 * What `node` is to offer, by resource name.
 *
 * @param readSource - Answers for declarations whose amount is computed.
 * @returns Empty when no declaration chooses the node.
 */
export function desiredUnits(
  declarations: readonly Declaration[],
  node: Node,
  readSource: SourceReading,
): ReadonlyMap<string, Desired> {
  const byName = Map.groupBy(
    declarations.filter((declaration) => choosesNode(declaration.nodes, node)),
    (declaration) => declaration.resourceName,
  )
  return new Map(
    [...byName].map(([resourceName, all]) => [resourceName, desiredOf(all, node.metadata.name ?? '', readSource)]),
  )
}

function desiredOf(declarations: readonly Declaration[], nodeName: string, readSource: SourceReading): Desired {
  const [declaration, ...others] = declarations
  if (declaration === undefined || others.length > 0) {
    return { kind: 'ambiguous', paths: declarations.map(({ path }) => path) }
  }
  const { amount } = declaration
  return amount.kind === 'units' ? amount : readSource(declaration, amount, nodeName)
}
