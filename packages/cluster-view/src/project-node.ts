import { resourceAmounts } from '@berth/resources'
import type { ReflectOptions } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { trimMetadata } from './trim-metadata.ts'

/** The parts that are decoded of nodes in protobuf: all that {@link projectNode} keeps. */
export const nodeDecoding: NonNullable<ReflectOptions<Node>['protobuf']> = { skips: ['metadata.managedFields'] }

/**
 * Drops managed fields and large annotations of a node.
 *
 * @throws QuantityError if an allocatable amount is not a quantity.
 */
export function projectNode(node: Node): Node {
  resourceAmounts(node.status?.allocatable)
  return { ...node, metadata: trimMetadata(node) }
}
