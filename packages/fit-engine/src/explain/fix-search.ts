import type { Node, Pod } from '@berth/types'
import { decide } from '../decide/decide.ts'
import type { DecideOptions } from '../decide/decision.ts'
import type { Framework } from '../framework/framework.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import type { NodeExplanation } from './explanation.ts'

/** Maximum number of nodes, cheapest first, on which one kind of fix is verified. */
const MAX_ATTEMPTS = 16

/** Input of the search for one kind of fix. */
export interface FixSearch {
  readonly framework: Framework
  readonly table: ClusterTable
  readonly pod: Pod
  readonly options: DecideOptions
  /** Sorted by node name. */
  readonly nodes: readonly NodeExplanation[]
}

/** A possible fix on one node. */
export interface FixAttempt<T> {
  readonly cost: number
  readonly node: string
  /** Returns the fix if the engine confirms it. */
  readonly verify: () => T | undefined
}

/** Returns the fix of the cheapest attempt that the engine confirms; equal costs are ordered by node name. */
export function cheapestVerified<T>(attempts: readonly FixAttempt<T>[]): T | undefined {
  const sorted = attempts.toSorted((a, b) => (a.cost === b.cost ? (a.node < b.node ? -1 : 1) : a.cost - b.cost))
  for (const { verify } of sorted.slice(0, MAX_ATTEMPTS)) {
    const fix = verify()
    if (fix !== undefined) return fix
  }
  return undefined
}

/** Returns the nodes that the pod fits after a change of the pod, of one node, or of both. */
export function feasibleAfter(
  { framework, table, pod, options }: FixSearch,
  { pod: changedPod = pod, node }: { readonly pod?: Pod; readonly node?: Node },
): readonly string[] {
  const state = node === undefined ? table : table.fork()
  if (node !== undefined) state.setNode(node)
  return decide(framework, state, changedPod, { ...options, score: false, rejections: 'when-none-fits' }).feasible
}

/** Returns the node of an explanation. */
export function nodeOf({ table }: FixSearch, { node }: NodeExplanation): Node {
  return table.node(table.rowOf(node) ?? 0)
}

/** Returns the nodes that at least one of these filters rejects and no other filter does. */
export function rejectedOnlyBy({ nodes }: FixSearch, plugins: ReadonlySet<string>): readonly NodeExplanation[] {
  return nodes.filter(({ filters }) => {
    const rejecting = filters.filter(({ code }) => code !== 0)
    return rejecting.length > 0 && rejecting.every(({ plugin }) => plugins.has(plugin))
  })
}

/** Returns whether no filter but NodeResourcesFit rejects the node. */
export function onlyLacksResources({ filters }: NodeExplanation): boolean {
  return filters.every(({ plugin, code }) => code === 0 || plugin === 'NodeResourcesFit')
}

/** Returns the share of `part` in `whole`, at most 1; 1 when `whole` is 0. */
export function share(part: bigint, whole: bigint): number {
  return whole <= 0n ? 1 : Math.min(1, Number(part) / Number(whole))
}
