import type { ResourceList } from '@berth/types'
import { quantityOf } from './quantity-json.ts'
import type { Quantity } from './quantity.ts'

/** Resource name -> quantity. A key with 0 is not the same as no key. */
export type QuantityMap = ReadonlyMap<string, Quantity>

/**
 * Reads a resource list.
 *
 * @throws QuantityError when an entry is no quantity.
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

/** Raises `maximum` to the entries of `other` that are missing there or larger. */
export function raiseQuantities(maximum: Map<string, Quantity>, other: QuantityMap): void {
  for (const [name, quantity] of other) {
    const present = maximum.get(name)
    if (present === undefined) maximum.set(name, quantity)
    // Comparing with a decimal form leaves Go's left side in decimal form as well.
    else if (quantity.cmp(present) > 0)
      maximum.set(name, present.form === 'decimal' ? quantity.toDecimalForm() : quantity)
  }
}
