import type { CsvTable, CsvValue } from '../../output/csv-text.ts'
import { amountInUnit, unitOf } from '../../output/resource-unit.ts'
import { holderOf, type HeldDevice } from '../devices/held-devices.ts'
import type { GroupCapacity, ResourceCapacity, UnitAmounts } from '../rows/capacity-rows.ts'
import { percentOf } from '../rows/percent-of.ts'

/** A resource with its rows in the order of the output. */
export interface ShownCapacity extends ResourceCapacity {
  /** The devices that containers hold, and those that are unhealthy; absent when they were not asked for. */
  readonly devices?: readonly HeldDevice[]
  /** Absent when nodes are not grouped. */
  readonly groups?: readonly GroupCapacity[]
}

/** Returns resources for JSON and YAML: amounts in the unit of the resource, with percentages of allocatable. */
export function capacityValue(resources: readonly ShownCapacity[]): readonly object[] {
  return resources.map(valueOf)
}

function valueOf(resource: ShownCapacity) {
  const { resourceName, nodes, groups, devices, largestBlock } = resource
  const amount = (value: bigint) => amountInUnit(resourceName, value)
  return {
    resourceName,
    unit: unitOf(resourceName),
    ...amountsValue(resourceName, resource),
    largestBlock: amount(largestBlock),
    ...(groups !== undefined && {
      groups: groups.map((group) => ({
        value: group.value,
        nodeCount: group.nodeCount,
        ...amountsValue(resourceName, group),
        largestBlock: amount(group.largestBlock),
      })),
    }),
    nodes: nodes.map(({ node, pods, rejectedBecause, ...amounts }) => ({
      node,
      ...amountsValue(resourceName, amounts),
      pods: pods.map(({ namespace, pod, requested, limits }) => ({
        namespace,
        pod,
        requested: amount(requested),
        limits: amount(limits),
      })),
      ...(rejectedBecause !== undefined && { rejectedBecause }),
    })),
    ...(devices !== undefined && { devices }),
  }
}

function amountsValue(resourceName: string, { requested, limits, allocatable, ...rest }: UnitAmounts) {
  const amount = (value: bigint) => amountInUnit(resourceName, value)
  return {
    capacity: amount(rest.capacity),
    allocatable: amount(allocatable),
    requested: amount(requested),
    requestedPercent: percentOf(requested, allocatable),
    limits: amount(limits),
    limitsPercent: percentOf(limits, allocatable),
    free: amount(rest.free),
    unhealthy: amount(rest.unhealthy),
  }
}

const amountColumns = [
  'capacity',
  'allocatable',
  'requested',
  'requestedPercent',
  'limits',
  'limitsPercent',
  'free',
  'unhealthy',
] as const

/** Chooses the records of the CSV. */
export interface CapacityCsvOptions {
  /** One record for each value of this label instead of each node. */
  readonly groupBy: string | undefined
  /** One record for each pod that requests a resource, instead of each node. */
  readonly withPods: boolean
  /** One record for each device, instead of each node. */
  readonly withDevices: boolean
}

/** Returns resources as records. Every record has the resource and its unit; the options choose the other columns. */
export function capacityCsv(resources: readonly ShownCapacity[], options: CapacityCsvOptions): CsvTable {
  const { groupBy, withPods, withDevices } = options
  const values = resources.map(valueOf)
  const table = (
    columns: readonly string[],
    rowsOf: (one: (typeof values)[number]) => readonly (readonly CsvValue[])[],
  ) => ({
    columns: ['resource', 'unit', ...columns],
    rows: values.flatMap((one) => rowsOf(one).map((row) => [one.resourceName, one.unit, ...row])),
  })
  const amounts = (value: ReturnType<typeof amountsValue>): readonly CsvValue[] =>
    amountColumns.map((column) => value[column])
  if (withDevices) {
    return table(['node', 'device', 'health', 'reason', 'heldBy'], ({ devices = [] }) =>
      devices.map((device: HeldDevice) => [device.node, device.id, device.health, device.reason, holderOf(device)]),
    )
  }
  if (withPods) {
    return table(['node', 'namespace', 'pod', 'requested', 'limits'], ({ nodes }) =>
      nodes.flatMap(({ node, pods }) =>
        pods.map(({ namespace, pod, requested, limits }) => [node, namespace, pod, requested, limits]),
      ),
    )
  }
  if (groupBy !== undefined) {
    return table([groupBy, 'nodes', ...amountColumns, 'largestBlock'], ({ groups = [] }) =>
      groups.map((group) => [group.value, group.nodeCount, ...amounts(group), group.largestBlock]),
    )
  }
  return table(['node', ...amountColumns], ({ nodes }) => nodes.map((node) => [node.node, ...amounts(node)]))
}
