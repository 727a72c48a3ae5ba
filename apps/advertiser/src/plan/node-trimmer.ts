import { isRecord, type Node, type ResourceList } from '@berth/types'

/** Fields that {@link NodeTrimmer} drops, and that are not even decoded: most of a node. */
export const skippedNodeFields: readonly string[] = ['status.images', 'status.volumesInUse', 'status.volumesAttached']

/** Equal lists of kubelet fields, which most nodes share, are one object. */
const sharedFields = new Map<string, Readonly<Record<string, unknown>>>()
const MAX_SHARED = 1_000
const NO_AMOUNTS: ResourceList = Object.freeze({})

/** Trims nodes for the mirror, and completes them for resource sources. */
export interface NodeTrimmer {
  /**
   * Drops the parts of a node that a plan does not read, so that a large cluster does not fill the memory. What resource
   * sources read comes back with {@link NodeTrimmer.forSources}.
   */
  readonly trim: (node: Node) => Node
  /** Keeps what sources read of each node that is trimmed from now on: twice the memory. Call it where a source is declared. */
  readonly keepSourceFields: () => void
  /**
   * Returns a trimmed node as resource sources receive it: also with spec, conditions, nodeInfo and addresses, and with the
   * amounts of all resources. Reads a node that was trimmed before there was a source.
   *
   * @throws Errors of `readNode`.
   */
  readonly forSources: (node: Node, signal: AbortSignal) => Promise<Node>
}

/** Reads a node; undefined if it does not exist. */
export type ReadNode = (nodeName: string, signal: AbortSignal) => Promise<Node | undefined>

/** Creates a trimmer that keeps only what plans read. */
export function createNodeTrimmer(readNode: ReadNode): NodeTrimmer {
  /** As JSON, a tenth of the memory of the objects; undefined where it was not kept. */
  const sourceFields = new WeakMap<Node, string | undefined>()
  let isKept = false
  return {
    trim(node) {
      const trimmed = trimNode(node)
      sourceFields.set(trimmed, isKept ? sourceFieldsOf(node) : undefined)
      return trimmed
    },
    keepSourceFields() {
      isKept = true
    },
    async forSources(node, signal) {
      if (!sourceFields.has(node)) return node
      let text = sourceFields.get(node)
      if (text === undefined) {
        const whole = await readNode(node.metadata.name ?? '', signal)
        if (whole === undefined) return node
        text = sourceFieldsOf(whole)
        sourceFields.set(node, text)
      }
      const { spec, status } = JSON.parse(text) as Pick<Node, 'spec' | 'status'>
      return { ...node, ...(spec !== undefined && { spec }), status: { ...node.status, ...status } }
    },
  }
}

function trimNode(node: Node): Node {
  const { name, uid, resourceVersion, labels, annotations, managedFields } = node.metadata
  const { capacity, allocatable } = node.status ?? {}
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(managedFields !== undefined && { managedFields: managedFields.flatMap(kubeletAmountFields) }),
    },
    status: {
      ...(capacity !== undefined && { capacity: extendedAmounts(capacity) }),
      ...(allocatable !== undefined && { allocatable: extendedAmounts(allocatable) }),
    },
  }
}

function sourceFieldsOf({ spec, status = {} }: Node): string {
  const { capacity, allocatable, conditions, nodeInfo, addresses } = status
  return JSON.stringify({ spec, status: { capacity, allocatable, conditions, nodeInfo, addresses } })
}

/** Returns the amounts of extended resources: only their names have a domain, and a plan reads no others. */
function extendedAmounts(list: ResourceList): ResourceList {
  const names = Object.keys(list).filter((name) => name.includes('/'))
  return names.length === 0 ? NO_AMOUNTS : Object.fromEntries(names.map((name) => [name, list[name] ?? '0']))
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
