import type { Amount } from '../../state/resources/amount.ts'

/** Amounts by resource name as one text; the length of a name keeps it apart from what follows. */
export function shapeOf(amounts: Iterable<readonly [name: string, amount: Amount | bigint]>): string {
  let shape = ''
  for (const [name, amount] of amounts) shape += `${name.length}:${name}=${amount};`
  return shape
}
