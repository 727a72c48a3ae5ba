import type { ResourceList } from '@berth/types'
import { quantityOf } from './quantity-json.ts'
import type { Quantity } from './quantity.ts'

/** Quantities by resource name. An entry of 0 differs from no entry. */
export type QuantityMap = ReadonlyMap<string, Quantity>

/**
 * Parses a resource list into a new map.
 *
 * @throws QuantityError when an entry is not a quantity.
 */
export function quantityMap(list: ResourceList | null | undefined): Map<string, Quantity> {
  const quantities = new Map<string, Quantity>()
  for (const name in list) {
    if (Object.hasOwn(list, name)) quantities.set(name, quantityOf(list[name]))
  }
  return quantities
}

/** Adds every entry of `addend` to `sum`. */
export function addQuantities(sum: Map<string, Quantity>, addend: QuantityMap): void {
  for (const [name, quantity] of addend) {
    const present = sum.get(name)
    sum.set(name, present === undefined ? quantity : present.add(quantity))
  }
}

/** Sets each entry of `maximum` to the larger of itself and the entry of `other`. */
export function raiseQuantities(maximum: Map<string, Quantity>, other: QuantityMap): void {
  for (const [name, quantity] of other) {
    const present = maximum.get(name)
    if (present === undefined) maximum.set(name, quantity)
    // In Go, comparing with a quantity in decimal form converts the left side to decimal form.
    else if (quantity.cmp(present) > 0)
      maximum.set(name, present.form === 'decimal' ? quantity.toDecimalForm() : quantity)
  }
}
