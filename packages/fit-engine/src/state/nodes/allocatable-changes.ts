import { isScalarResourceName, resourceAmounts } from '@berth/resources'
import type { Node, ResourceList } from '@berth/types'
import { type Amount, toAmount } from '../resources/amount.ts'
import type { ResourceNames } from '../resources/resource-names.ts'

function isSameList(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  if (a === b) return true
  const left = Object.entries(a ?? {})
  return left.length === Object.keys(b ?? {}).length && left.every(([name, text]) => b?.[name] === text)
}

/**
 * Returns the new amount of every allocatable resource when `node` replaces `old`, 0 for a resource that is no longer
 * offered. Empty when the two lists are the same text. Leaves out names that the scheduler does not account.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function allocatableChanges(
  old: Node | undefined,
  node: Node | undefined,
  names: ResourceNames,
): ReadonlyMap<string, Amount> {
  const before = old?.status?.allocatable
  const after = node?.status?.allocatable
  const changes = new Map<string, Amount>()
  if (isSameList(before, after)) return changes
  for (const name of resourceAmounts(before).keys()) changes.set(name, 0)
  for (const [name, amount] of resourceAmounts(after)) {
    const isKnown = names.idOf(name) !== undefined
    if (isKnown || isScalarResourceName(name)) changes.set(name, toAmount(amount))
  }
  return changes
}
