import { resourceAmounts } from '@berth/resources'
import type { ReflectOptions } from '@berth/k8s-client'
import type { Node, NodeStatus } from '@berth/types'
import { notShared, type SharedValues } from './shared-values.ts'
import { trimMetadata } from './trim-metadata.ts'

/** Tells the protobuf decoder to skip a part of nodes that {@link projectNode} drops. */
export const nodeDecoding: NonNullable<ReflectOptions<Node>['protobuf']> = { skips: ['metadata.managedFields'] }
/** As {@link nodeDecoding}, for callers that do not score images: they are most of a node. */
export const nodeDecodingWithoutImages: typeof nodeDecoding = { skips: ['metadata.managedFields', 'status.images'] }

/**
 * Drops the kind, managed fields and large annotations of a node.
 *
 * @param shared - Interns parts that are equal in many nodes, such as images. Default: each node has its own copy.
 * @throws QuantityError if an allocatable amount is not a quantity.
 */
export function projectNode(node: Node, shared: SharedValues = notShared): Node {
  resourceAmounts(node.status?.allocatable)
  const { apiVersion: _, kind: _kind, status, ...rest } = node
  return shared.compact<Node>({
    ...rest,
    metadata: shared.compact(trimMetadata(node)),
    ...(status !== undefined && { status: projectStatus(status, shared) }),
  })
}

function projectStatus(status: NodeStatus, shared: SharedValues): NodeStatus {
  const { capacity, allocatable, images } = status
  return shared.compact({
    ...status,
    ...(capacity !== undefined && { capacity: shared.part(capacity) }),
    ...(allocatable !== undefined && { allocatable: shared.part(allocatable) }),
    ...(images !== undefined && { images: images.map((image) => shared.part(image)) }),
  })
}
