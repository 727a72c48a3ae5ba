import type { Node } from '@berth/types'

/**
 * The part of a node that the advertiser reads, so that a big cluster does not fill its memory. Resource sources see
 * this part too: name, labels, annotations, spec, capacity, allocatable, conditions and nodeInfo.
 */
export function advertisedPart(node: Node): Node {
  const { name, uid, resourceVersion, labels, annotations, managedFields } = node.metadata
  const { capacity, allocatable, conditions, nodeInfo, addresses } = node.status ?? {}
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(managedFields !== undefined && { managedFields: managedFields.filter(isKubelets) }),
    },
    ...(node.spec !== undefined && { spec: node.spec }),
    status: {
      ...(capacity !== undefined && { capacity }),
      ...(allocatable !== undefined && { allocatable }),
      ...(conditions !== undefined && { conditions }),
      ...(nodeInfo !== undefined && { nodeInfo }),
      ...(addresses !== undefined && { addresses }),
    },
  }
}

function isKubelets(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'manager' in entry && entry.manager === 'kubelet'
}
