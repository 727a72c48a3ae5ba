import type { ClusterMoment, NodeRow } from './cluster-step.ts'
import type { UiPoint } from './ui-point.ts'
import type { UiAmounts, UiModel, UiResource } from './ui-model.ts'

/**
 * Returns the amounts of every resource on every node at one time.
 *
 * @param notes - Sentences about what is missing from the numbers.
 */
export function buildUiModel({ timeMs, pendingCount, rows }: ClusterMoment, notes: readonly string[]): UiModel {
  const nodes = [...rows.keys()].toSorted()
  const byNode = nodes.map((node) => rows.get(node))
  return {
    timeMs,
    nodes,
    resources: resourceNames(rows).map((name) =>
      uiResource(
        name,
        byNode.map((row) => row?.get(name) ?? null),
      ),
    ),
    pendingCount,
    notes,
  }
}

/** Returns what all nodes together have of each resource. */
export function totalsOf(rows: ReadonlyMap<string, NodeRow>): UiPoint['totals'] {
  const sums = new Map<string, [requested: number, allocatable: number]>()
  for (const row of rows.values())
    for (const [name, [allocatable, requested]] of row) {
      const sum = sums.get(name)
      if (sum === undefined) sums.set(name, [requested, allocatable])
      else {
        sum[0] += requested
        sum[1] += allocatable
      }
    }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => [name, ...sum])
}

function resourceNames(rows: ReadonlyMap<string, NodeRow>): readonly string[] {
  const names = new Set<string>()
  for (const row of rows.values()) for (const name of row.keys()) names.add(name)
  return [...names].toSorted()
}

function uiResource(name: string, cells: UiResource['cells']): UiResource {
  const total: [number, number, number, number] = [0, 0, 0, 0]
  let largestBlock = 0
  for (const amounts of cells) {
    if (amounts === null) continue
    for (const [i, amount] of amounts.entries()) total[i] = (total[i] ?? 0) + amount
    largestBlock = Math.max(largestBlock, amounts[2])
  }
  return { name, total: total satisfies UiAmounts, largestBlock, cells }
}
