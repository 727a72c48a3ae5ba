import { boundPodRequest, podRequest } from '@berth/resources'
import type { ClusterReader, Pod } from '@berth/types'
import { commonResources, type RoomClaimant, type RoomDemand } from '../framework/room-demand.ts'
import { unitsOf } from '../plugins/node-resources-fit/units-of.ts'

/** The free amounts of one node, from which demands can be taken for a calculation. */
export interface NodeRoom {
  /** Names of the resources that the node offers; `pods` is always one of them. */
  readonly resourceNames: readonly string[]
  /**
   * Returns the free amount, which may be below 0. Counts pods that the claimant may evict as gone, and pods of the same
   * or a higher priority for which the node is nominated as there.
   */
  free(resourceName: string, claimant: RoomClaimant): bigint
  fits(demand: RoomDemand): boolean
  /** Subtracts the demand here; the cluster state does not change. */
  take(demand: RoomDemand): void
}

/** The parts of the cluster state that {@link nodeRoom} reads. */
export interface RoomState extends Pick<ClusterReader, 'node' | 'podsOn' | 'allocatable' | 'requested'> {
  rowOf(nodeName: string): number | undefined
  nominatedPods(nodeName: string): readonly Pod[]
}

/** Returns the room on a node without its pods, bound or assumed; undefined for an unknown node. */
export function nodeRoom(state: RoomState, nodeName: string): NodeRoom | undefined {
  const row = state.rowOf(nodeName)
  if (row === undefined) return undefined
  const freeByName = new Map<string, bigint>()
  const sharedByClaimant = new Map<string, ReadonlyMap<string, bigint>>()
  const shared = (name: string, claimant: RoomClaimant): bigint => {
    let units = sharedByClaimant.get(claimant.key)
    if (units === undefined) {
      units = sharedUnits(claimant, state.podsOn(row), state.nominatedPods(nodeName))
      sharedByClaimant.set(claimant.key, units)
    }
    return units.get(name) ?? 0n
  }
  const unused = (name: string): bigint => {
    let amount = freeByName.get(name)
    if (amount === undefined) {
      const difference = state.allocatable(row, name) - state.requested(row, name)
      // As in Go, the difference of resources wraps; numbers of pods are compared without a subtraction.
      amount = name === 'pods' ? difference : BigInt.asIntN(64, difference)
      freeByName.set(name, amount)
    }
    return amount
  }
  const free = (name: string, claimant: RoomClaimant): bigint => unused(name) + shared(name, claimant)
  return {
    resourceNames: [...new Set([...commonResources, ...Object.keys(state.node(row).status?.allocatable ?? {})])],
    free,
    fits({ amounts, claimant }) {
      for (const [name, amount] of amounts) if (amount > free(name, claimant)) return false
      return true
    },
    take({ amounts }) {
      for (const [name, amount] of amounts) freeByName.set(name, unused(name) - amount)
    },
  }
}

/**
 * Returns what the pods of a lower priority request together, minus what is reserved for others; numbers of pods as
 * `pods`.
 */
function sharedUnits(
  { priority, mayPreempt }: RoomClaimant,
  pods: readonly Pod[],
  nominated: readonly Pod[],
): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  const add = (request: ReturnType<typeof podRequest>, sign: bigint): void => {
    sums.set('pods', (sums.get('pods') ?? 0n) + sign)
    for (const [name, units] of unitsOf(request)) sums.set(name, (sums.get(name) ?? 0n) + sign * units)
  }
  for (const pod of mayPreempt ? pods : []) if ((pod.spec.priority ?? 0) < priority) add(boundPodRequest(pod), 1n)
  for (const pod of nominated) if ((pod.spec.priority ?? 0) >= priority) add(podRequest(pod), -1n)
  return sums
}
