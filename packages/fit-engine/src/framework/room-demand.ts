import type { Pod } from '@berth/types'

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
/** The resources that every node offers. */
export const commonResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods'])

/** Returns the pod's demand of the amounts by resource name, without those that are not above 0. */
export function roomDemand({ spec }: Pod, amountsByName: Iterable<readonly [string, bigint]>): RoomDemand {
  const amounts = new Map([...amountsByName].filter(([, amount]) => amount > 0n).sort(([a], [b]) => (a < b ? -1 : 1)))
  const extended = [...amounts.keys()].find((name) => !commonResources.has(name))
  const byCpu = (amounts.get('cpu') ?? 0n) * BYTES_PER_MILLI_CPU
  const memory = amounts.get('memory') ?? 0n
  const usual = byCpu >= memory ? (byCpu > 0n ? 'cpu' : 'pods') : 'memory'
  const { priority = 0 } = spec
  const mayPreempt = spec.preemptionPolicy !== 'Never'
  const claimant = { priority, mayPreempt, key: `${priority}${mayPreempt ? '' : ' never'}` }
  const key = [claimant.key, ...Array.from(amounts, ([name, amount]) => `${name}=${amount}`)].join(' ')
  return { key, claimant, amounts, scarcest: extended ?? usual }
}
