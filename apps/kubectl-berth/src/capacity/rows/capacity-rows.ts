import type { ClusterSnapshot } from '@berth/cluster-view'
import { isExtendedResourceName, resourceAmounts } from '@berth/resources'
import { isWanted, type PodUnits, type PodUnitsByNode, sumOfPods, type WantedResources } from './pod-units.ts'

/** Amounts of one resource. Whole units; cpu in milli. */
export interface UnitAmounts {
  /** All units, including unhealthy ones. */
  readonly capacity: bigint
  /** Units that pods can use. */
  readonly allocatable: bigint
  /** Sum of the requests of the counted pods. */
  readonly requested: bigint
  /** Sum of their limits. */
  readonly limits: bigint
  /** Allocatable minus the requests of all pods; negative where a node is overcommitted. */
  readonly free: bigint
  /** Units of an extended resource that the kubelet does not let pods use; 0 for native resources. */
  readonly unhealthy: bigint
}

/** One resource on one node. */
export interface NodeCapacity extends UnitAmounts {
  readonly node: string
  /** The counted pods that request it. */
  readonly pods: readonly PodUnits[]
  /** Why the chosen profile places no pod here, although units are free; absent when it does or none was chosen. */
  readonly rejectedBecause?: readonly string[]
}

/** One resource on the nodes that have the same value of a label. */
export interface GroupCapacity extends UnitAmounts {
  /** Undefined: the nodes without the label. */
  readonly value: string | undefined
  readonly nodeCount: number
  readonly largestBlock: bigint
}

/** One resource across all nodes that offer it. */
export interface ResourceCapacity extends UnitAmounts {
  readonly resourceName: string
  /** The largest request that still fits: the free units of the node with the most, of those that the profile accepts. */
  readonly largestBlock: bigint
  /** Sorted by name. */
  readonly nodes: readonly NodeCapacity[]
}

/** Selects the resources, pods and nodes that {@link capacityRows} counts. */
export interface CapacityQuestion extends WantedResources {
  /** The counted pods. */
  readonly pods: PodUnitsByNode
  /** Names of the nodes to show; undefined: all. */
  readonly nodeNames: ReadonlySet<string> | undefined
}

/** Returns capacity, requests, limits and free units of each resource, sorted by resource name. */
export function capacityRows(
  { state, nodes }: Pick<ClusterSnapshot, 'state' | 'nodes'>,
  question: CapacityQuestion,
): readonly ResourceCapacity[] {
  const byResource = new Map<string, NodeCapacity[]>()
  for (const name of [...nodes.keys()].toSorted()) {
    const row = state.rowOf(name)
    if (row === undefined || question.nodeNames?.has(name) === false) continue
    const { status } = nodes.get(name) ?? {}
    const capacities = resourceAmounts(status?.capacity)
    for (const resourceName of new Set([...capacities.keys(), ...resourceAmounts(status?.allocatable).keys()])) {
      if (!isWanted(question, resourceName)) continue
      const capacity = capacities.get(resourceName) ?? 0n
      const allocatable = state.allocatable(row, resourceName)
      const pods = question.pods.get(resourceName)?.get(name) ?? []
      const unusable = isExtendedResourceName(resourceName) ? capacity - allocatable : 0n
      const list = byResource.get(resourceName) ?? []
      byResource.set(resourceName, list)
      list.push({
        node: name,
        capacity,
        allocatable,
        ...sumOfPods(pods),
        free: allocatable - state.requested(row, resourceName),
        unhealthy: unusable > 0n ? unusable : 0n,
        pods,
      })
    }
  }
  return [...byResource]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resourceName, rows]) => ({ resourceName, ...summed(rows), nodes: rows }))
}

/**
 * Returns a resource by the values of a node label, sorted by value; nodes without the label come last.
 *
 * @param labelOf - Returns the value of the label of a node; undefined without it.
 */
export function groupByLabel(
  { nodes }: Pick<ResourceCapacity, 'nodes'>,
  labelOf: (node: string) => string | undefined,
): readonly GroupCapacity[] {
  return [...Map.groupBy(nodes, ({ node }) => labelOf(node))]
    .toSorted(([a], [b]) => (b === undefined || (a !== undefined && a < b) ? -1 : 1))
    .map(([value, rows]) => ({ value, nodeCount: rows.length, ...summed(rows) }))
}

function summed(rows: readonly NodeCapacity[]): UnitAmounts & { readonly largestBlock: bigint } {
  const sum = (key: keyof UnitAmounts): bigint => rows.reduce((total, row) => total + row[key], 0n)
  return {
    capacity: sum('capacity'),
    allocatable: sum('allocatable'),
    requested: sum('requested'),
    limits: sum('limits'),
    free: sum('free'),
    unhealthy: sum('unhealthy'),
    largestBlock: rows.reduce((most, { free }) => (free > most ? free : most), 0n),
  }
}
