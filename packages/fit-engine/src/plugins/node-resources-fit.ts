import { fitScoreRequests } from '@berth/resources'
import { type Candidates, type InsufficientResource, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../framework/engine-plugin.ts'
import type { NodeResourcesFitArgs } from '../plugin-args.ts'
import { type ScoringStrategy, resourceScore } from '../scoring/scoring-strategy.ts'
import { toAmount } from '../state/amount.ts'
import type { AmountColumn } from '../state/amount-column.ts'
import { NODE_PRESENT } from '../state/node-rows.ts'
import { FIRST_SCALAR } from '../state/resource-names.ts'
import { parseFitArgs, type WeightedResource } from './parse-fit-args.ts'
import { type Demand, demandsOf, type IgnoredResources, isShort } from './resource-demand.ts'
import { scoredResource } from './scored-resource.ts'
import { DEMANDS_PER_MASK, FINAL, shortageMasks } from './shortage-masks.ts'

const noRows = new Int32Array(0)

/**
 * Lets a pod onto nodes that have enough left of everything it asks for, and prefers nodes by a scoring strategy.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go (v1.36)
 */
export function nodeResourcesFit(args?: NodeResourcesFitArgs): EnginePlugin {
  const { ignored, strategy, resources } = parseFitArgs(args)
  return {
    name: 'NodeResourcesFit',
    filter: (pod, candidates, output, context) => filter(demandsOf(pod, ignored, context), candidates, output, context),
    shortlist: (pod, context) => shortlist(demandsOf(pod, ignored, context), context),
    shortages: (pod, row, context) => shortages(demandsOf(pod, ignored, context), row, context),
    score: (pod, candidates, scores, context) => score(pod, { strategy, resources }, candidates, scores, context),
  }
}

function filter(
  demands: readonly Demand[],
  candidates: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  const chunks = Array.from({ length: Math.ceil(demands.length / DEMANDS_PER_MASK) }, (_, chunk) => {
    const part = demands.slice(chunk * DEMANDS_PER_MASK, (chunk + 1) * DEMANDS_PER_MASK)
    return { part, masks: shortageMasks(cluster.store, candidates, part), lists: new Map<number, readonly string[]>() }
  })
  const [first, ...others] = chunks
  for (let i = 0; i < candidates.count; i++) {
    let mask = first?.masks[i] ?? 0
    let reasons = mask === 0 || first === undefined ? undefined : listOf(first.part, mask, first.lists)
    for (const { part, masks, lists } of others) {
      const more = masks[i] ?? 0
      if (more === 0) continue
      reasons = [...(reasons ?? []), ...listOf(part, more, lists)]
      mask |= more
    }
    if (reasons === undefined) continue
    const isFinal = (mask & FINAL) !== 0
    output.rejectShared(i, isFinal ? StatusCode.UnschedulableAndUnresolvable : StatusCode.Unschedulable, reasons)
  }
}

/** One list object for each set of shortages, final or not: the framework counts by identity. */
function listOf(demands: readonly Demand[], mask: number, lists: Map<number, readonly string[]>): readonly string[] {
  const known = lists.get(mask)
  if (known !== undefined) return known
  const list = demands.filter((_, k) => (mask & (1 << k)) !== 0).map(({ reason }) => reason)
  lists.set(mask, list)
  return list
}

/** Only nodes with some room of the rarest resource can have enough of it. */
function shortlist(demands: readonly Demand[], { cluster: { store, rows } }: EngineContext): Int32Array | undefined {
  let rarest: number | undefined
  for (const { id } of demands) {
    if (id === undefined) return noRows
    if (id >= FIRST_SCALAR && (rarest === undefined || store.roomBound(id) < store.roomBound(rarest))) rarest = id
  }
  if (rarest === undefined) return undefined
  const found = new Int32Array(store.roomBound(rarest))
  const count = store.writeRoom(rarest, found)
  return found.subarray(0, count).filter((row) => ((rows.flags[row] ?? 0) & NODE_PRESENT) !== 0)
}

function shortages(
  demands: readonly Demand[],
  row: number,
  { cluster: { store } }: EngineContext,
): readonly InsufficientResource[] {
  return demands.flatMap(({ resourceName, id, amount, reason, canBeFinal }) => {
    const capacity = id === undefined ? 0 : store.allocatable(id, row)
    const used = id === undefined ? 0 : store.requested(id, row)
    if (!isShort(amount, capacity, used)) return []
    return {
      resourceName,
      requested: BigInt(amount),
      used: BigInt(used),
      capacity: BigInt(capacity),
      reason,
      isUnresolvable: canBeFinal && amount > capacity,
    }
  })
}

function score(
  pod: Pod,
  { strategy, resources }: { strategy: ScoringStrategy; resources: readonly WeightedResource[] },
  { rows, count }: Candidates,
  scores: Float64Array,
  { cluster }: EngineContext,
): void {
  const requests = fitScoreRequests(pod)
  const weights = new Float64Array(count)
  for (const { name, weight } of resources) {
    const asked = toAmount(requests.get(name) ?? 0n)
    const id = scoredResource(cluster.store, name, asked)
    if (id === undefined) continue
    cluster.store.withColumns(id, (allocatable, requested) => {
      const used = name === 'cpu' ? cluster.nonZeroCpu : name === 'memory' ? cluster.nonZeroMemory : requested
      for (let i = 0; i < count; i++) {
        const row = rows[i] ?? 0
        if (allocatable.values[row] === 0) continue
        const share = columnScore(strategy, used, asked, allocatable, row)
        if (share <= 0 && strategy.isZeroLeftOut) continue
        scores[i] = (scores[i] ?? 0) + share * weight
        weights[i] = (weights[i] ?? 0) + weight
      }
    })
  }
  for (let i = 0; i < count; i++) scores[i] = strategy.average(scores[i] ?? 0, weights[i] ?? 0)
}

function columnScore(
  strategy: ScoringStrategy,
  used: AmountColumn,
  asked: number | bigint,
  allocatable: AmountColumn,
  row: number,
): number {
  return resourceScore(strategy, used.get(row), asked, allocatable.get(row))
}
