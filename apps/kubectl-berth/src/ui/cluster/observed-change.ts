import type { Node, Pod } from '@berth/types'
import type { ClusterTable } from './cluster-table.ts'

/** A change of a node or a pod, as it was seen. */
export type ObservedChange =
  | { readonly verb: ObservedVerb; readonly kind: 'Node'; readonly object: Node }
  | { readonly verb: ObservedVerb; readonly kind: 'Pod'; readonly object: Pod }

/** The verb of a write that makes such a change. */
export type ObservedVerb = 'create' | 'update' | 'delete'

/**
 * Applies a change to a table.
 *
 * @returns False for an object that cannot be read, such as one whose amounts are not quantities; the table keeps its state.
 */
export function applyObserved(table: ClusterTable, { verb, kind, object }: ObservedChange): boolean {
  try {
    if (kind === 'Node') {
      if (verb === 'delete') table.deleteNode(object.metadata.name ?? '')
      else table.setNode(object)
    } else if (verb === 'delete') table.deletePod(object)
    else table.setPod(object)
    return true
  } catch {
    return false
  }
}
