import type { CsvTable } from '../../output/csv-text.ts'
import { fitRows } from '../../output/fit-table.ts'
import type { Paint } from '../../output/paint.ts'
import { amountInUnit, unitOf } from '../../output/resource-unit.ts'
import { shownAmount } from '../../output/shown-amount.ts'
import { type PodUnitsByNode, sumOfPods } from '../rows/pod-units.ts'

/** Amounts that pods request of one resource, in whole units; cpu in thousandths. */
export interface RequestedUnits {
  readonly resourceName: string
  readonly requested: bigint
  readonly limits: bigint
  /** Number of pods that request it. */
  readonly pods: number
}

/**
 * Returns what the counted pods request, sorted by resource name: all that can be said without the right to list nodes.
 * Empty when no pod requests anything.
 */
export function requestedUnits(units: PodUnitsByNode): readonly RequestedUnits[] {
  return [...units]
    .filter(([resourceName]) => resourceName !== 'pods')
    .map(([resourceName, byNode]) => {
      const pods = [...byNode.values()].flat()
      return { resourceName, ...sumOfPods(pods), pods: pods.length }
    })
    .toSorted((a, b) => (a.resourceName < b.resourceName ? -1 : 1))
}

const requestedColumns = ['RESOURCE', 'REQUESTED', 'LIMITS', 'PODS'].map((header) => ({ header, rank: 0 }))

/**
 * Renders the requests as a table.
 *
 * @param options.none - The sentence for a table without rows.
 */
export function requestedText(
  units: readonly RequestedUnits[],
  { paint, columns, none }: { readonly paint: Paint; readonly columns: number; readonly none: string },
): string {
  if (units.length === 0) return `${none}\n`
  const rows = units.map(({ resourceName, requested, limits, pods }) => [
    `${resourceName} (${unitOf(resourceName)})`,
    shownAmount(resourceName, requested),
    shownAmount(resourceName, limits),
    `${pods}`,
  ])
  const [header = [], ...lines] = fitRows(requestedColumns, rows, columns)
  return `${[...header.map((line) => paint('strong', line)), ...lines.flat()].join('\n')}\n`
}

/** Returns the requests for JSON and YAML, in the unit of each resource. */
export function requestedValue(units: readonly RequestedUnits[]): readonly object[] {
  return units.map(valueOf)
}

function valueOf({ resourceName, requested, limits, pods }: RequestedUnits) {
  return {
    resourceName,
    unit: unitOf(resourceName),
    requested: amountInUnit(resourceName, requested),
    limits: amountInUnit(resourceName, limits),
    pods,
  }
}

/** Returns the requests as records. */
export function requestedCsv(units: readonly RequestedUnits[]): CsvTable {
  return {
    columns: ['resource', 'unit', 'requested', 'limits', 'pods'],
    rows: units
      .map(valueOf)
      .map(({ resourceName, unit, requested, limits, pods }) => [resourceName, unit, requested, limits, pods]),
  }
}
