import { resourceAmounts } from '@berth/resources'
import type { Node } from '@berth/types'
import { trimMetadata } from './trim-metadata.ts'

/**
 * Drops managed fields and large annotations of a node.
 *
 * @throws QuantityError if an allocatable amount is not a quantity.
 */
export function projectNode(node: Node): Node {
  resourceAmounts(node.status?.allocatable)
  return { ...node, metadata: trimMetadata(node) }
}
