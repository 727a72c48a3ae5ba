import type { Pod } from '@berth/types'
import type { DecideOptions } from '../decide/decision.ts'
import type { Framework } from '../framework/framework.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import type { NodeExplanation } from './explanation.ts'

/** How many nodes a proposal is verified on before its kind is given up. */
const MAX_ATTEMPTS = 16

/** What the search for one kind of fix works with. */
export interface FixSearch {
  readonly framework: Framework
  readonly table: ClusterTable
  readonly pod: Pod
  readonly options: DecideOptions
  /** Sorted by node name. */
  readonly nodes: readonly NodeExplanation[]
}

/** What may be tried on one node. */
export interface Attempt<T> {
  readonly cost: number
  readonly node: string
  /** Builds the fix if the engine confirms it. */
  readonly verify: () => T | undefined
}

/** The cheapest attempt that the engine confirms; equal costs go by node name. */
export function cheapest<T>(attempts: readonly Attempt<T>[]): T | undefined {
  const sorted = attempts.toSorted((a, b) => (a.cost === b.cost ? (a.node < b.node ? -1 : 1) : a.cost - b.cost))
  for (const { verify } of sorted.slice(0, MAX_ATTEMPTS)) {
    const fix = verify()
    if (fix !== undefined) return fix
  }
  return undefined
}

/** Every filter but NodeResourcesFit lets the pod onto the node. */
export function onlyLacksResources({ filters }: NodeExplanation): boolean {
  return filters.every(({ plugin, code }) => code === 0 || plugin === 'NodeResourcesFit')
}

/** Share of `part` in `whole`, 0 to 1. */
export function share(part: bigint, whole: bigint): number {
  return whole <= 0n ? 1 : Math.min(1, Number(part) / Number(whole))
}
