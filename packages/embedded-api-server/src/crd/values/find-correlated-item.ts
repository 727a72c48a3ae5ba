import { equalJson, own } from '../../schema/json/json-object.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'

/**
 * Returns the item of the old list with the same map keys; undefined if there is none. Only items of lists of type `map`
 * can be correlated with their old version.
 */
export function findCorrelatedItem(
  item: unknown,
  { listType, listMapKeys }: StructuralSchema,
  oldList: unknown,
): unknown {
  if (listType !== 'map' || !Array.isArray(oldList)) return undefined
  return oldList.find((each) => listMapKeys.every((key) => equalJson(own(each, key), own(item, key))))
}
