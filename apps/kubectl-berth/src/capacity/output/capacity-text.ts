import { printableLine } from '@berth/text/printable'
import { fitRows, type TableColumn } from '../../output/fit-table.ts'
import type { Paint } from '../../output/paint.ts'
import { unitOf } from '../../output/resource-unit.ts'
import { shownAmount } from '../../output/shown-amount.ts'
import { wrapSentence } from '../../output/wrap-sentence.ts'
import { heldDevicesLines } from '../devices/held-devices.ts'
import type { ResourceCapacity, UnitAmounts } from '../rows/capacity-rows.ts'
import { percentOf } from '../rows/percent-of.ts'
import type { ShownCapacity } from './shown-capacity.ts'

const BAR = 10
const INDENT = 2

/** Options of {@link capacityText}. */
export interface CapacityTextOptions {
  /** Maximum width; Infinity shows every column. */
  readonly columns: number
  readonly paint: Paint
  /** The label by which nodes are grouped; undefined: one line for each node. */
  readonly groupBy: string | undefined
  /** Whether each node lists the pods that request the resource. */
  readonly withPods: boolean
}

/** Renders the capacity: one block per resource with one line per node or group and the sum. */
export function capacityText(resources: readonly ShownCapacity[], options: CapacityTextOptions): string {
  return `${resources.map((resource) => blockOf(resource, options)).join('\n\n')}\n`
}

function blockOf(resource: ShownCapacity, options: CapacityTextOptions): string {
  const { resourceName, nodes, groups } = resource
  const { paint, groupBy } = options
  const rows: readonly Row[] =
    groups === undefined
      ? nodes.flatMap((node) => [{ name: node.node, ...node }, ...(options.withPods ? node.pods.map(podRow) : [])])
      : groups.map((group) => ({ name: group.value ?? '(no label)', ...group }))
  const all: Row = { name: `all ${nodes.length}`, nodeCount: nodes.length, ...resource }
  const columns = columnsOf(resource, groupBy)
  const [header = [], ...lines] = fitRows(
    columns.map(([column]) => column),
    [...rows, all].map((row) => columns.map(([, cell]) => cell(row))),
    options.columns,
  )
  return [
    `${paint('strong', printableLine(resourceName))} (${unitOf(resourceName)})`,
    ...header.map((line) => paint('dim', line)),
    ...lines.flat(),
    ...sentencesOf(resource).flatMap((sentence) => wrapSentence(sentence, options.columns, INDENT)),
    ...heldDevicesLines(resource.devices ?? [], options.columns),
  ].join('\n')
}

function sentencesOf({ resourceName, nodes, largestBlock }: ShownCapacity): readonly string[] {
  return [
    ...nodes.flatMap(({ node, rejectedBecause }) =>
      rejectedBecause === undefined ? [] : `${node} accepts no pod: ${rejectedBecause.join(', ')}.`,
    ),
    `The largest request that still fits: ${shownAmount(resourceName, largestBlock)}.`,
  ]
}

/** One line of a block. */
interface Row extends Partial<UnitAmounts> {
  readonly name: string
  readonly nodeCount?: number
  readonly largestBlock?: bigint
}

function podRow({ namespace, pod, requested, limits }: ResourceCapacity['nodes'][number]['pods'][number]): Row {
  return { name: `  ${namespace}/${pod}`, requested, limits }
}

function columnsOf(
  { resourceName, unhealthy }: ShownCapacity,
  groupBy: string | undefined,
): readonly (readonly [TableColumn, (row: Row) => string])[] {
  const amount = (key: keyof UnitAmounts) => (row: Row) => {
    const value = row[key]
    return value === undefined ? '' : shownAmount(resourceName, value)
  }
  const share = (key: 'requested' | 'limits') => (row: Row) => {
    const { [key]: value = 0n, allocatable = 0n } = row
    const percent = percentOf(value, allocatable)
    return `${shownAmount(resourceName, value)}${percent === undefined ? '' : ` (${percent}%)`}`
  }
  const isGrouped = groupBy !== undefined
  return [
    [{ header: groupBy ?? 'NODE', rank: 0 }, ({ name }) => `  ${printableLine(name)}`],
    ...(isGrouped ? [[{ header: 'NODES', rank: 3 }, ({ nodeCount }: Row) => `${nodeCount ?? ''}`] as const] : []),
    [{ header: 'CAPACITY', rank: 5 }, amount('capacity')],
    [{ header: 'ALLOCATABLE', rank: 2 }, amount('allocatable')],
    [{ header: 'REQUESTED', rank: 1 }, share('requested')],
    [{ header: 'LIMITS', rank: 4 }, share('limits')],
    [{ header: 'FREE', rank: 0 }, amount('free')],
    ...(isGrouped
      ? [
          [
            { header: 'LARGEST', rank: 3 },
            ({ largestBlock }: Row) => (largestBlock === undefined ? '' : shownAmount(resourceName, largestBlock)),
          ] as const,
        ]
      : []),
    ...(unhealthy > 0n ? [[{ header: 'UNHEALTHY', rank: 2 }, amount('unhealthy')] as const] : []),
    [
      { header: 'USE', rank: 6 },
      ({ requested = 0n, allocatable }) => (allocatable === undefined ? '' : bar(requested, allocatable)),
    ],
  ]
}

/** Renders the requested share: `[####......]`. */
function bar(requested: bigint, allocatable: bigint): string {
  if (allocatable <= 0n) return requested > 0n ? '[over]' : ''
  const filled = Number((requested * BigInt(BAR) + allocatable - 1n) / allocatable)
  return filled > BAR ? '[over]' : `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`
}
