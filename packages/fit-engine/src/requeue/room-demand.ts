import { boundPodRequest, podRequest } from '@berth/resources'
import type { ClusterReader, Pod } from '@berth/types'
import { unitsOf } from '../plugins/node-resources-fit/units-of.ts'

/** How a pod shares a node with other pods. */
export interface RoomClaimant {
  readonly priority: number
  /** Pods of a lower priority may be evicted for it, so their room counts as free. */
  readonly mayPreempt: boolean
  /** Equal for claimants that share in the same way. */
  readonly key: string
}

/** Amounts that must be free on a node for a pod to fit: whole units, cpu in milli, and one of `pods`. */
export interface RoomDemand {
  /** Equal for equal amounts. */
  readonly key: string
  readonly claimant: RoomClaimant
  /** By resource name; all above 0. */
  readonly amounts: ReadonlyMap<string, bigint>
  /** The resource by which pods are told apart first: an extended one, or the larger one of cpu and memory. */
  readonly scarcest: string
}

/** A cpu core weighs as much as this amount of memory when the scarcest resource is chosen. */
const BYTES_PER_MILLI_CPU = (4n * 1024n ** 3n) / 1000n
const common: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods'])

/** Returns the pod's demand of the amounts by resource name, without those that are not above 0. */
export function roomDemand({ spec }: Pod, amountsByName: Iterable<readonly [string, bigint]>): RoomDemand {
  const amounts = new Map([...amountsByName].filter(([, amount]) => amount > 0n).sort(([a], [b]) => (a < b ? -1 : 1)))
  const extended = [...amounts.keys()].find((name) => !common.has(name))
  const byCpu = (amounts.get('cpu') ?? 0n) * BYTES_PER_MILLI_CPU
  const memory = amounts.get('memory') ?? 0n
  const usual = byCpu >= memory ? (byCpu > 0n ? 'cpu' : 'pods') : 'memory'
  const { priority = 0 } = spec
  const mayPreempt = spec.preemptionPolicy !== 'Never'
  const claimant = { priority, mayPreempt, key: `${priority}${mayPreempt ? '' : ' never'}` }
  const key = [claimant.key, ...Array.from(amounts, ([name, amount]) => `${name}=${amount}`)].join(' ')
  return { key, claimant, amounts, scarcest: extended ?? usual }
}

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
    resourceNames: [...new Set([...common, ...Object.keys(state.node(row).status?.allocatable ?? {})])],
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
