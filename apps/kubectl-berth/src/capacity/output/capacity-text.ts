import { printableLine } from '@berth/text/printable'
import { alignColumns } from '../../output/align-columns.ts'
import type { Paint } from '../../output/paint.ts'
import { shownAmount } from '../../output/shown-amount.ts'
import type { ResourceCapacity } from '../rows/capacity-rows.ts'
import { heldDevicesLines } from '../devices/held-devices.ts'

const BAR = 10

/** Renders the capacity: one block per resource with one line per node and the sum. */
export function capacityText(resources: readonly ResourceCapacity[], paint: Paint): string {
  const blocks = resources.map((resource) => {
    const { resourceName, nodes } = resource
    const shown = (amount: bigint): string => shownAmount(resourceName, amount)
    const cells = (
      name: string,
      row: Pick<ResourceCapacity, 'capacity' | 'allocatable' | 'requested' | 'free'>,
    ): string[] => [
      name,
      shown(row.capacity),
      shown(row.allocatable),
      shown(row.requested),
      shown(row.free),
      bar(row.requested, row.allocatable),
    ]
    const [header = '', ...rows] = alignColumns([
      ['NODE', 'CAPACITY', 'ALLOCATABLE', 'REQUESTED', 'FREE', 'USE'],
      ...nodes.map((node) => cells(`  ${node.node}`, node)),
      cells(`  all ${nodes.length}`, resource),
    ])
    return [
      paint('strong', resourceName),
      paint('dim', header),
      ...rows,
      ...nodes.flatMap(({ node, rejectedBecause }) =>
        rejectedBecause === undefined ? [] : `  ${node} accepts no pod: ${printableLine(rejectedBecause.join(', '))}.`,
      ),
      `  The largest request that still fits: ${shown(resource.largestBlock)}.`,
      ...heldDevicesLines(resource.devices ?? []),
    ].join('\n')
  })
  return `${blocks.join('\n\n')}\n`
}

/** Renders the requested share: `[####......]`. */
function bar(requested: bigint, allocatable: bigint): string {
  if (allocatable <= 0n) return requested > 0n ? '[over]' : ''
  const filled = Number((requested * BigInt(BAR) + allocatable - 1n) / allocatable)
  return filled > BAR ? '[over]' : `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`
}
