import { isScalarResourceName } from '@berth/resources'
import type { Amount } from '../../state/resources/amount.ts'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { PODS } from '../../state/resources/resource-names.ts'

/**
 * Returns the id of a resource that counts for a score; undefined when no node has it, when it is scalar and the pod
 * does not request it, and for `pods`, which scorers ignore.
 */
export function scoredResourceId(store: ResourceStore, name: string, request: Amount): number | undefined {
  const id = store.names.idOf(name)
  return id === PODS || (request === 0 && isScalarResourceName(name)) ? undefined : id
}
