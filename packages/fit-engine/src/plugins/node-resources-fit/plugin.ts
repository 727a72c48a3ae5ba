import { type Candidates, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { NODE_PRESENT } from '../../state/nodes/node-rows.ts'
import { FIRST_SCALAR } from '../../state/resources/resource-names.ts'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { fitScore } from './score.ts'
import { keepRoomy } from './filter-by-free-units.ts'
import { type NodeResourcesFitArgs, parseFitArgs } from './args.ts'
import { shapeOf } from '../resource-scoring/shape-of.ts'
import { type Demand, demandsOf } from './demand.ts'
import { DEMANDS_PER_MASK, FINAL, markShortages } from './shortage-masks.ts'
import { shortagesOf } from './shortages.ts'

const noRows = new Int32Array(0)
/** A shortlist has at most that share of the nodes. */
const WORTH_A_LIST = 4
/** Shortages follow from demands alone, whatever the arguments of the plugin. */
const marksOwner = {}

/**
 * Lets a pod onto nodes that have enough left of everything it asks for, and prefers nodes by a scoring strategy.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go (v1.36)
 */
export function nodeResourcesFit(args?: NodeResourcesFitArgs): EnginePlugin {
  const { ignored, ...scoring } = parseFitArgs(args)
  return {
    name: 'NodeResourcesFit',
    // A pod that cannot be read is an error, whether or not a node is left to ask about.
    preFilter: (pod, _candidates, context) => void demandsOf(pod, ignored, context),
    filter: (pod, candidates, output, context) => filter(demandsOf(pod, ignored, context), candidates, output, context),
    keep: (pod, candidates, target, context) => {
      const { store, rows } = context.cluster
      return keepRoomy(store, candidates, demandsOf(pod, ignored, context), rows.liveRows(), target)
    },
    shortlist: (pod, context) => shortlist(demandsOf(pod, ignored, context), context),
    shortages: (pod, row, context) => shortagesOf(demandsOf(pod, ignored, context), row, context.cluster.store),
    score: (pod, candidates, scores, { cluster }) => fitScore(pod, scoring, candidates, scores, cluster),
  }
}

function filter(
  demands: readonly Demand[],
  candidates: Candidates,
  output: EngineFilterOutput,
  { cluster: { store, scratch, rowValues: answers, rowCount } }: EngineContext,
): void {
  if (demands.some(({ deviceClass }) => deviceClass !== undefined)) {
    filterEach(demands, candidates, output, store)
    return
  }
  const first = demands.slice(0, DEMANDS_PER_MASK)
  const shape = (): string => shapeOf(first.map(({ resourceName, amount }) => [resourceName, amount]))
  const known = answers.lookup(marksOwner, shape, rowCount, candidates, (asked, values) => {
    const masks = scratch.takeInts(asked.count)
    if (markShortages(store, asked, first, masks)) values.set(masks.subarray(0, asked.count))
    scratch.giveBack(masks)
  })
  const masks = scratch.takeInts(candidates.count)
  const isAnyShort =
    known === undefined ? markShortages(store, candidates, first, masks) : copyMasks(candidates, known, masks)
  if (isAnyShort) rejectMarked(first, masks, candidates.count, output)
  scratch.giveBack(masks)
  if (demands.length > DEMANDS_PER_MASK) filterEach(demands, candidates, output, store)
}

function copyMasks({ rows, count }: Candidates, known: Float64Array, masks: Int32Array): boolean {
  let union = 0
  for (let i = 0; i < count; i++) {
    const mask = known[rows[i] ?? 0] ?? 0
    masks[i] = mask
    union |= mask
  }
  return union !== 0
}

function rejectMarked(demands: readonly Demand[], masks: Int32Array, count: number, output: EngineFilterOutput): void {
  const lists = new Map<number, number>()
  let last = 0
  let list = 0
  for (let i = 0; i < count; i++) {
    const mask = masks[i] ?? 0
    if (mask === 0) continue
    if (mask !== last) list = listOf(demands, mask, lists, output)
    last = mask
    output.rejectListed(i, codeOf(mask), list)
  }
}

function codeOf(mask: number): StatusCode {
  return (mask & FINAL) === 0 ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable
}

/**
 * Every candidate by itself, all demands at once: for pods that ask for more names than a mask has bits, or for names
 * that a DeviceClass backs.
 */
function filterEach(
  demands: readonly Demand[],
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  store: ResourceStore,
): void {
  const lists = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const short = shortagesOf(demands, rows[i] ?? 0, store)
    if (short.length === 0) continue
    const reasons = short.map(({ reason }) => reason)
    const key = reasons.join('\n')
    const list = lists.get(key) ?? output.listed(reasons)
    lists.set(key, list)
    const isFinal = short.some(({ isUnresolvable }) => isUnresolvable)
    output.rejectListed(i, codeOf(isFinal ? FINAL : 0), list)
  }
}

/** One list for each set of shortages, final or not: the framework counts by identity. */
function listOf(
  demands: readonly Demand[],
  mask: number,
  lists: Map<number, number>,
  output: EngineFilterOutput,
): number {
  const known = lists.get(mask)
  if (known !== undefined) return known
  const list = output.listed(demands.filter((_, k) => (mask & (1 << k)) !== 0).map(({ reason }) => reason))
  lists.set(mask, list)
  return list
}

/** Only nodes with some room of the rarest resource can have enough of it. */
function shortlist(demands: readonly Demand[], { cluster: { store, rows } }: EngineContext): Int32Array | undefined {
  let rarest: number | undefined
  for (const { id } of demands) {
    if (id === undefined) return noRows
    if (id >= FIRST_SCALAR && (rarest === undefined || store.maxRowsWithFree(id) < store.maxRowsWithFree(rarest)))
      rarest = id
  }
  // Where many have some, asking all of them is as quick.
  if (rarest === undefined || store.maxRowsWithFree(rarest) * WORTH_A_LIST > rows.count) return undefined
  const found = new Int32Array(store.maxRowsWithFree(rarest))
  const count = store.writeRowsWithFree(rarest, found)
  let kept = 0
  for (let i = 0; i < count; i++) {
    const row = found[i] ?? 0
    if (((rows.flags[row] ?? 0) & NODE_PRESENT) !== 0) found[kept++] = row
  }
  // A view costs more than the search.
  return kept === found.length ? found : found.subarray(0, kept)
}
