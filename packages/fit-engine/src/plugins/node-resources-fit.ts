import { fitScoreRequests } from '@berth/resources'
import { type Candidates, type InsufficientResource, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../framework/engine-plugin.ts'
import type { NodeResourcesFitArgs } from '../plugin-args.ts'
import { EXACT_SCORE_LIMIT, exactScore, type ScoringStrategy } from '../scoring/scoring-strategy.ts'
import { type Amount, toAmount } from '../state/amount.ts'
import type { AmountColumn } from '../state/amount-column.ts'
import { NODE_PRESENT } from '../state/node-rows.ts'
import { CPU, FIRST_SCALAR, MEMORY } from '../state/resource-names.ts'
import type { ResourceStore } from '../state/resource-store.ts'
import { parseFitArgs, type WeightedResource } from './parse-fit-args.ts'
import { type Demand, demandsOf, isShort } from './resource-demand.ts'
import { scoredResource } from './scored-resource.ts'
import { DEMANDS_PER_MASK, FINAL, markShortages } from './shortage-masks.ts'

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
    shortages: (pod, row, context) => shortagesOf(demandsOf(pod, ignored, context), row, context.cluster.store),
    score: (pod, candidates, scores, context) => score(pod, { strategy, resources }, candidates, scores, context),
  }
}

function filter(
  demands: readonly Demand[],
  candidates: Candidates,
  output: EngineFilterOutput,
  { cluster: { store, scratch } }: EngineContext,
): void {
  const first = demands.slice(0, DEMANDS_PER_MASK)
  const lists = new Map<number, readonly string[]>()
  scratch.withInts(candidates.count, (masks) => {
    markShortages(store, candidates, first, masks)
    for (let i = 0; i < candidates.count; i++) {
      const mask = masks[i] ?? 0
      if (mask !== 0) output.rejectShared(i, codeOf(mask), listOf(first, mask, lists))
    }
  })
  if (demands.length > DEMANDS_PER_MASK) filterByRest(demands, candidates, output, store)
}

function codeOf(mask: number): StatusCode {
  return (mask & FINAL) === 0 ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable
}

/** For pods that ask for more names than a mask has bits: every candidate by itself, all demands at once. */
function filterByRest(
  demands: readonly Demand[],
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  store: ResourceStore,
): void {
  for (let i = 0; i < count; i++) {
    const short = shortagesOf(demands, rows[i] ?? 0, store)
    if (short.length === 0) continue
    const isFinal = short.some(({ isUnresolvable }) => isUnresolvable)
    output.rejectShared(
      i,
      codeOf(isFinal ? FINAL : 0),
      short.map(({ reason }) => reason),
    )
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
  let kept = 0
  for (let i = 0; i < count; i++) {
    const row = found[i] ?? 0
    if (((rows.flags[row] ?? 0) & NODE_PRESENT) !== 0) found[kept++] = row
  }
  return found.subarray(0, kept)
}

function shortagesOf(demands: readonly Demand[], row: number, store: ResourceStore): readonly InsufficientResource[] {
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

/** Adds the weighted score of one resource to each candidate that offers it, and its weight to `weights`. */
function addResource(
  strategy: ScoringStrategy,
  weight: number,
  asked: Amount,
  { rows, count }: Candidates,
  columns: { readonly used: AmountColumn; readonly allocatable: AmountColumn },
  sums: { readonly scores: Float64Array; readonly weights: Float64Array },
): void {
  const used = columns.used.values
  const has = columns.allocatable.values
  const { scores, weights } = sums
  // NaN stands for what is beyond a double, and fails the comparisons that the short way needs.
  const quick = typeof asked === 'number' ? asked : Number.NaN
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total = has[row] ?? 0
    if (total === 0) continue
    const requested = (used[row] ?? 0) + quick
    const isQuick = requested >= 0 && requested <= EXACT_SCORE_LIMIT && total > 0 && total <= EXACT_SCORE_LIMIT
    const score = isQuick
      ? strategy.ofNumbers(requested, total)
      : exactScore(strategy, columns.used.get(row), asked, columns.allocatable.get(row))
    if (score <= 0 && strategy.isZeroLeftOut) continue
    scores[i] = (scores[i] ?? 0) + score * weight
    weights[i] = (weights[i] ?? 0) + weight
  }
}

function score(
  pod: Pod,
  { strategy, resources }: { strategy: ScoringStrategy; resources: readonly WeightedResource[] },
  candidates: Candidates,
  scores: Float64Array,
  { cluster }: EngineContext,
): void {
  const requests = fitScoreRequests(pod)
  cluster.scratch.withFloats(candidates.count, (weights) => {
    for (const { name, weight } of resources) {
      const asked = toAmount(requests.get(name) ?? 0n)
      const id = scoredResource(cluster.store, name, asked)
      if (id === undefined) continue
      cluster.store.withColumns(id, (allocatable, requested) => {
        const used = id === CPU ? cluster.nonZeroCpu : id === MEMORY ? cluster.nonZeroMemory : requested
        addResource(strategy, weight, asked, candidates, { used, allocatable }, { scores, weights })
      })
    }
    for (let i = 0; i < candidates.count; i++) scores[i] = strategy.average(scores[i] ?? 0, weights[i] ?? 0)
  })
}
