import { splitNamespacedName } from '@berth/types'

/** Selects one object of a list or a watch. RBAC allows it to a rule with `resourceNames`. */
export interface ObjectSelection {
  readonly namespace?: string
  readonly fieldSelector?: string
}

/** Returns the selection of the object with this `namespace/name`. */
export function selectionOf(key: string): ObjectSelection {
  const { namespace, name } = splitNamespacedName(key)
  return { namespace, fieldSelector: `metadata.name=${name}` }
}
