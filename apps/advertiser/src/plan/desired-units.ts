import type { Node } from '@berth/types'
import { chooseDeclarations } from './choose-declarations.ts'
import type { Declaration, SourceAmount } from './declaration.ts'

/** The desired amount of one resource on one node. */
export type DesiredUnits =
  | { readonly kind: 'units'; readonly units: bigint }
  /** The source has not answered yet, or the object is not claimed yet. The node keeps its current amount. */
  | { readonly kind: 'pending' }
  /** The source has no fresh value. The node keeps its current amount. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /**
   * Several entries of the file select this node for the same resource. None applies, and the node keeps its current
   * amount.
   */
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] }

/** Returns the latest value that a source returned for one node. */
export type ReadSource = (declaration: Declaration, source: SourceAmount, nodeName: string) => DesiredUnits

/**
 * Returns the desired amounts of `node` by resource name.
 *
 * @param readSource - Reads the value of a declaration whose amount is computed.
 * @returns Empty when no declaration selects the node.
 */
export function desiredUnits(
  declarations: readonly Declaration[],
  node: Node,
  readSource: ReadSource,
): ReadonlyMap<string, DesiredUnits> {
  const nodeName = node.metadata.name ?? ''
  return new Map(
    [...chooseDeclarations(declarations, node)].map(([resourceName, { applied }]) => [
      resourceName,
      combineDeclarations(applied, nodeName, readSource),
    ]),
  )
}

function combineDeclarations(
  declarations: readonly Declaration[],
  nodeName: string,
  readSource: ReadSource,
): DesiredUnits {
  const [declaration, ...others] = declarations
  if (declaration === undefined || others.length > 0) {
    return { kind: 'ambiguous', paths: declarations.map(({ path }) => path) }
  }
  const { amount } = declaration
  if (amount.kind === 'unclaimed') return { kind: 'pending' }
  return amount.kind === 'units' ? amount : readSource(declaration, amount, nodeName)
}
