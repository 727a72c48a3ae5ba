import type { ResourceList } from '@berth/types'
import { quantityMap, type QuantityMap } from './quantity-map.ts'

/** Converts quantities to amounts: whole units rounded up, cpu in milli. */
export function toAmounts(quantities: QuantityMap): ReadonlyMap<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const [name, quantity] of quantities) {
    amounts.set(name, name === 'cpu' ? quantity.milliValue() : quantity.value())
  }
  return amounts
}

/**
 * Returns the amounts of a resource list, such as a node's allocatable: whole units rounded up, cpu in milli. Includes
 * names that the scheduler does not account. Empty for an absent list.
 *
 * @throws QuantityError when an entry is not a quantity.
 */
export function resourceAmounts(list: ResourceList | undefined): ReadonlyMap<string, bigint> {
  return toAmounts(quantityMap(list))
}
