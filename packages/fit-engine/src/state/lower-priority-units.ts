import type { Candidates } from '@berth/types'
import type { ClusterTable } from './cluster-table.ts'
import { PODS } from './resources/resource-names.ts'
import { requestedAmount } from './pods/encoded-request.ts'

/** Key of the sums in the row value cache. */
const cacheKey = {}

/**
 * Returns by row how much of a resource the pods of lower priority on the row request; of `pods`, their number. NaN
 * where a double cannot hold the sum. Only the rows of the candidates have a value. Valid until the next change.
 */
export function lowerPriorityUnits(
  table: ClusterTable,
  priority: number,
  resourceId: number,
  candidates: Candidates,
): Float64Array {
  const compute = ({ rows, count }: Candidates, values: Float64Array): void => {
    for (let i = 0; i < count; i++) values[i] = sumOn(table, rows[i] ?? 0, priority, resourceId)
  }
  // The name and not the id, which another resource may have later.
  const shape = (): string => `${priority} ${table.store.names.nameOf(resourceId)}`
  const cached = table.rowValues.lookup(cacheKey, shape, table.rowCount, candidates, compute)
  if (cached !== undefined) return cached
  const values = new Float64Array(table.rowCount)
  const { rows, count } = candidates
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    values[row] = sumOn(table, row, priority, resourceId)
  }
  return values
}

function sumOn(table: ClusterTable, row: number, priority: number, resourceId: number): number {
  let sum = 0
  for (const pod of table.podsOn(row)) {
    if ((pod.spec.priority ?? 0) >= priority) continue
    const request = resourceId === PODS ? undefined : table.encodedRequestOf(pod)
    const amount = resourceId === PODS ? 1 : request === undefined ? 0 : requestedAmount(request, resourceId)
    sum += typeof amount === 'number' ? amount : Number.NaN
  }
  return Number.isSafeInteger(sum) ? sum : Number.NaN
}
