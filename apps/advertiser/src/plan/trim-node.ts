import type { Node } from '@berth/types'

/**
 * Drops the parts of a node that the advertiser does not read, so that a large cluster does not fill its memory.
 * Resource sources receive the trimmed node too: name, labels, annotations, spec, capacity, allocatable, conditions,
 * nodeInfo and addresses.
 */
export function trimNode(node: Node): Node {
  const { name, uid, resourceVersion, labels, annotations, managedFields } = node.metadata
  const { capacity, allocatable, conditions, nodeInfo, addresses } = node.status ?? {}
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(managedFields !== undefined && { managedFields: managedFields.filter(isKubeletEntry) }),
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

function isKubeletEntry(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'manager' in entry && entry.manager === 'kubelet'
}
