import { splitNamespacedName } from '@berth/types'

/** Limits a list or a watch to one object, so that a rule with `resourceNames` is enough permission. */
export interface ObjectSelection {
  readonly namespace?: string
  readonly fieldSelector?: string
}

/** Returns the selection of the object with this `namespace/name`. */
export function selectionOf(key: string): ObjectSelection {
  const { namespace, name } = splitNamespacedName(key)
  return { namespace, fieldSelector: `metadata.name=${name}` }
}
