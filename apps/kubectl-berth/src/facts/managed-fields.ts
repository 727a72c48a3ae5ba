import { isRecord, type ObjectMeta } from '@berth/types'

/** Returns the names of the field managers that own a field, in the order of the object. Empty without managed fields. */
export function managersOf({ managedFields = [] }: ObjectMeta, ...path: readonly string[]): readonly string[] {
  const managers = managedFields.flatMap((entry) => {
    if (!isRecord(entry) || typeof entry['manager'] !== 'string') return []
    let fields: unknown = entry['fieldsV1']
    for (const key of path)
      fields = isRecord(fields) && Object.hasOwn(fields, `f:${key}`) ? fields[`f:${key}`] : undefined
    return fields === undefined ? [] : [entry['manager']]
  })
  return [...new Set(managers)]
}
