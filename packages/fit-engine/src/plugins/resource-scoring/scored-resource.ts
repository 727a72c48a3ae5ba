import { isScalarResourceName } from '@berth/resources'
import type { Amount } from '../../state/resources/amount.ts'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { PODS } from '../../state/resources/resource-names.ts'

/**
 * The id of a resource that takes part in a score; undefined when no node has it, when it is scalar and the pod does
 * not ask for it, and for `pods`, which scorers do not know.
 */
export function scoredResource(store: ResourceStore, name: string, asked: Amount): number | undefined {
  const id = store.names.idOf(name)
  return id === PODS || (asked === 0 && isScalarResourceName(name)) ? undefined : id
}
