import type { UnitAmounts } from './capacity-rows.ts'
import { percentOf } from './percent-of.ts'

/** Values of --sort-by. */
export const sortKeys = ['name', 'capacity', 'allocatable', 'requested', 'limits', 'free', 'unhealthy', 'use'] as const

/** One value of --sort-by. `use` is the requested share. */
export type SortKey = (typeof sortKeys)[number]

/** Returns the rows with the largest amount first; equal rows stay in their order, which is by name. */
export function sortRows<T extends UnitAmounts>(rows: readonly T[], key: SortKey): readonly T[] {
  if (key === 'name') return rows
  const amountOf = (row: T): bigint | number =>
    key === 'use' ? (percentOf(row.requested, row.allocatable) ?? -1) : row[key]
  return rows.toSorted((a, b) => {
    const [first, second] = [amountOf(a), amountOf(b)]
    if (first === second) return 0
    return first > second ? -1 : 1
  })
}
