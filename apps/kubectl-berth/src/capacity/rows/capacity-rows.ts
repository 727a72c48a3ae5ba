import type { ClusterSnapshot } from '@berth/cluster-view'
import { isExtendedResourceName, resourceAmounts } from '@berth/resources'
import type { HeldDevice } from '../devices/held-devices.ts'

/** One resource on one node. Whole units; cpu in milli. */
export interface NodeCapacity {
  readonly node: string
  /** All units, including unhealthy ones. */
  readonly capacity: bigint
  /** Units that pods can use. */
  readonly allocatable: bigint
  /** Sum of the requests of the node's pods. */
  readonly requested: bigint
  /** Allocatable minus requested; negative when the node is overcommitted. */
  readonly free: bigint
  /** Why the chosen profile places no pod here, although units are free; absent when it does or none was chosen. */
  readonly rejectedBecause?: readonly string[]
}

/** One resource across all nodes that offer it. */
export interface ResourceCapacity {
  readonly resourceName: string
  readonly capacity: bigint
  readonly allocatable: bigint
  readonly requested: bigint
  readonly free: bigint
  /** The largest request that still fits: the free units of the node with the most, of those that the profile accepts. */
  readonly largestBlock: bigint
  /** The devices that containers hold; absent when they were not asked for. */
  readonly devices?: readonly HeldDevice[]
  /** Sorted by name. */
  readonly nodes: readonly NodeCapacity[]
}

/**
 * Returns capacity, requests and free units of each resource, sorted by resource name.
 *
 * @param options.withNative - Includes cpu, memory and other native resources.
 */
export function capacityRows(
  { state, nodes }: Pick<ClusterSnapshot, 'state' | 'nodes'>,
  options: { readonly withNative: boolean; readonly resourceName?: string | undefined },
): readonly ResourceCapacity[] {
  const byResource = new Map<string, NodeCapacity[]>()
  for (const name of [...nodes.keys()].toSorted()) {
    const row = state.rowOf(name)
    if (row === undefined) continue
    const capacity = resourceAmounts(nodes.get(name)?.status?.capacity)
    const names = new Set([...capacity.keys(), ...resourceAmounts(nodes.get(name)?.status?.allocatable).keys()])
    for (const resourceName of names) {
      if (options.resourceName !== undefined && options.resourceName !== resourceName) continue
      const isWanted = options.withNative || options.resourceName !== undefined || isExtendedResourceName(resourceName)
      if (!isWanted) continue
      const allocatable = state.allocatable(row, resourceName)
      const requested = state.requested(row, resourceName)
      const list = byResource.get(resourceName) ?? []
      list.push({
        node: name,
        capacity: capacity.get(resourceName) ?? 0n,
        allocatable,
        requested,
        free: allocatable - requested,
      })
      byResource.set(resourceName, list)
    }
  }
  return [...byResource]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resourceName, rows]) => summed(resourceName, rows))
}

function summed(resourceName: string, nodes: readonly NodeCapacity[]): ResourceCapacity {
  const sum = (key: 'capacity' | 'allocatable' | 'requested' | 'free'): bigint =>
    nodes.reduce((total, node) => total + node[key], 0n)
  const largestBlock = nodes.reduce((most, { free }) => (free > most ? free : most), 0n)
  return {
    resourceName,
    capacity: sum('capacity'),
    allocatable: sum('allocatable'),
    requested: sum('requested'),
    free: sum('free'),
    largestBlock,
    nodes,
  }
}
