import { isRecord, type Node } from '@berth/types'

/** Fields that {@link trimNode} drops, and that are not even decoded: most of a node. */
export const skippedNodeFields: readonly string[] = ['status.images', 'status.volumesInUse', 'status.volumesAttached']

/** The fields of a node that only resource sources read, as JSON: a tenth of the memory of the objects. */
const sourceFields = new WeakMap<Node, string>()
/** Equal lists of kubelet fields, which most nodes share, are one object. */
const sharedFields = new Map<string, Readonly<Record<string, unknown>>>()
const MAX_SHARED = 1_000

/**
 * Drops the parts of a node that the advertiser does not read, so that a large cluster does not fill its memory. What only
 * resource sources read comes back with {@link nodeForSources}.
 */
export function trimNode(node: Node): Node {
  const { name, uid, resourceVersion, labels, annotations, managedFields } = node.metadata
  const { capacity, allocatable, conditions, nodeInfo, addresses } = node.status ?? {}
  const trimmed: Node = {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(managedFields !== undefined && { managedFields: managedFields.flatMap(kubeletAmountFields) }),
    },
    status: {
      ...(capacity !== undefined && { capacity }),
      ...(allocatable !== undefined && { allocatable }),
    },
  }
  sourceFields.set(trimmed, JSON.stringify({ spec: node.spec, status: { conditions, nodeInfo, addresses } }))
  return trimmed
}

/** Returns a trimmed node as resource sources receive it: also with spec, conditions, nodeInfo and addresses. */
export function nodeForSources(node: Node): Node {
  const text = sourceFields.get(node)
  if (text === undefined) return node
  const { spec, status } = JSON.parse(text) as Pick<Node, 'spec' | 'status'>
  return { ...node, ...(spec !== undefined && { spec }), status: { ...node.status, ...status } }
}

/** Returns an entry of managedFields with nothing but the amounts that the kubelet wrote; none for any other entry. */
function kubeletAmountFields(entry: unknown): readonly unknown[] {
  if (!isRecord(entry) || entry['manager'] !== 'kubelet') return []
  const fields = isRecord(entry['fieldsV1']) ? entry['fieldsV1']['f:status'] : undefined
  if (!isRecord(fields)) return []
  const { 'f:capacity': capacity, 'f:allocatable': allocatable } = fields
  if (capacity === undefined && allocatable === undefined) return []
  const status = { 'f:capacity': capacity, 'f:allocatable': allocatable }
  return [shared({ manager: 'kubelet', fieldsV1: { 'f:status': status } })]
}

function shared(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const key = JSON.stringify(fields)
  const known = sharedFields.get(key)
  if (known !== undefined) return known
  if (sharedFields.size < MAX_SHARED) sharedFields.set(key, fields)
  return fields
}
