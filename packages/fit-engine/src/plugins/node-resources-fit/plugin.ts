import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { NODE_PRESENT } from '../../state/nodes/node-rows.ts'
import { FIRST_SCALAR } from '../../state/resources/resource-names.ts'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { podCountCauses } from './causes.ts'
import { clearFreedShortages } from './clear-freed-shortages.ts'
import { fitScore, fitScoreShape } from './score.ts'
import { filterByFreeUnits } from './filter-by-free-units.ts'
import { type NodeResourcesFitArgs, parseFitArgs } from './args.ts'
import { requestKey } from '../resource-scoring/request-key.ts'
import { demandsOf, isIgnored, type ResourceDemand, roomDemandOf } from './demand.ts'
import { DEMANDS_PER_MASK, UNRESOLVABLE, markShortages } from './shortage-masks.ts'
import { shortagesOf } from './shortages.ts'

const noRows = new Int32Array(0)
/** A shortlist is used only if it has at most one node in this number. */
const MIN_SELECTIVITY = 4
/** Key of shortage masks in the row value cache. They depend on the demands alone, not on the plugin's arguments. */
const shortageCacheKey = {}

/**
 * Returns whether NodeResourcesFit with these arguments counts the units of an extended resource.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 */
export function countsExtendedResource(name: string, args?: NodeResourcesFitArgs): boolean {
  return !isIgnored(name, parseFitArgs(args).ignored)
}

/**
 * Rejects nodes with too few free units of a resource that the pod requests, and scores nodes by a strategy.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go (v1.36)
 */
export function nodeResourcesFit(args?: NodeResourcesFitArgs): EnginePlugin {
  const { ignored, ...scoring } = parseFitArgs(args)
  return {
    name: 'NodeResourcesFit',
    // Computes the demands here, so that an unreadable pod fails the attempt even when no node remains to filter.
    preFilter: (pod, _candidates, context) => void demandsOf(pod, ignored, context),
    filter: (pod, candidates, output, context) => filter(demandsOf(pod, ignored, context), candidates, output, context),
    filterRows: (pod, candidates, target, context) => {
      const { store, rows } = context.cluster
      return filterByFreeUnits(store, candidates, demandsOf(pod, ignored, context), rows.liveRows(), target)
    },
    filterWithoutVictims: (pod, candidates, output, context) => {
      const demands = demandsOf(pod, ignored, context)
      filterWithoutVictims(pod, demands, candidates, output, context)
    },
    causes: (_pod, cluster) => podCountCauses(cluster),
    eventTopics: () => [],
    roomDemand: (pod) => roomDemandOf(pod, ignored),
    shortlist: (pod, context) => shortlist(demandsOf(pod, ignored, context), context),
    shortages: (pod, row, context) => shortagesOf(demandsOf(pod, ignored, context), row, context.cluster.store),
    score: (pod, candidates, scores, { cluster }) => fitScore(pod, scoring, candidates, scores, cluster),
    scoreShape: (pod) => fitScoreShape(pod, scoring),
  }
}

function filter(
  demands: readonly ResourceDemand[],
  candidates: Candidates,
  output: EngineFilterOutput,
  { cluster: { store, scratch, rowValues, rowCount } }: EngineContext,
): void {
  if (demands.some(({ deviceClass }) => deviceClass !== undefined)) {
    filterEach(demands, candidates, output, store)
    return
  }
  const first = demands.slice(0, DEMANDS_PER_MASK)
  const key = (): string => requestKey(first.map(({ resourceName, amount }) => [resourceName, amount]))
  const known = rowValues.lookup(shortageCacheKey, key, rowCount, candidates, (missing, values) => {
    const masks = scratch.takeInts(missing.count)
    if (markShortages(store, missing, first, masks)) values.set(masks.subarray(0, missing.count))
    scratch.giveBack(masks)
  })
  const masks = scratch.takeInts(candidates.count)
  const isAnyShort =
    known === undefined ? markShortages(store, candidates, first, masks) : copyCachedMasks(candidates, known, masks)
  if (isAnyShort) rejectMarked(first, masks, candidates.count, output)
  scratch.giveBack(masks)
  if (demands.length > DEMANDS_PER_MASK) filterEach(demands, candidates, output, store)
}

/**
 * See {@link EnginePlugin.filterWithoutVictims}. Rejects no row for a pod whose candidates {@link filterEach} checks
 * one by one.
 */
function filterWithoutVictims(
  { spec }: Pod,
  demands: readonly ResourceDemand[],
  candidates: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  if (demands.length > DEMANDS_PER_MASK || demands.some(({ deviceClass }) => deviceClass !== undefined)) return
  const { store, scratch } = cluster
  const masks = scratch.takeInts(candidates.count)
  if (markShortages(store, candidates, demands, masks)) {
    clearFreedShortages(cluster, spec.priority ?? 0, candidates, demands, masks)
    rejectMarked(demands, masks, candidates.count, output)
  }
  scratch.giveBack(masks)
}

function copyCachedMasks({ rows, count }: Candidates, known: Float64Array, masks: Int32Array): boolean {
  let union = 0
  for (let i = 0; i < count; i++) {
    const mask = known[rows[i] ?? 0] ?? 0
    masks[i] = mask
    union |= mask
  }
  return union !== 0
}

function rejectMarked(
  demands: readonly ResourceDemand[],
  masks: Int32Array,
  count: number,
  output: EngineFilterOutput,
): void {
  const lists = new Map<number, number>()
  let last = 0
  let list = 0
  for (let i = 0; i < count; i++) {
    const mask = masks[i] ?? 0
    if (mask === 0) continue
    if (mask !== last) list = reasonsIdOf(demands, mask, lists, output)
    last = mask
    output.rejectRegistered(i, codeOf(mask), list)
  }
}

function codeOf(mask: number): StatusCode {
  return (mask & UNRESOLVABLE) === 0 ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable
}

/**
 * Filters one candidate at a time by all demands, for pods that request more resources than a mask has bits, or
 * resources that a DeviceClass backs.
 */
function filterEach(
  demands: readonly ResourceDemand[],
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
    const list = lists.get(key) ?? output.registerReasons(reasons)
    lists.set(key, list)
    const hasUnresolvable = short.some(({ isUnresolvable }) => isUnresolvable)
    output.rejectRegistered(i, codeOf(hasUnresolvable ? UNRESOLVABLE : 0), list)
  }
}

/** Registers one list of reasons for each mask: the framework counts reasons by the identity of their list. */
function reasonsIdOf(
  demands: readonly ResourceDemand[],
  mask: number,
  lists: Map<number, number>,
  output: EngineFilterOutput,
): number {
  const known = lists.get(mask)
  if (known !== undefined) return known
  const list = output.registerReasons(demands.filter((_, k) => (mask & (1 << k)) !== 0).map(({ reason }) => reason))
  lists.set(mask, list)
  return list
}

/** Returns the nodes with free units of the rarest scalar resource: only these can have enough. */
function shortlist(
  demands: readonly ResourceDemand[],
  { cluster: { store, rows } }: EngineContext,
): Int32Array | undefined {
  let rarest: number | undefined
  for (const { id } of demands) {
    if (id === undefined) return noRows
    if (id >= FIRST_SCALAR && (rarest === undefined || store.maxRowsWithFree(id) < store.maxRowsWithFree(rarest)))
      rarest = id
  }
  // When many nodes have free units, filtering all nodes is as fast.
  if (rarest === undefined || store.maxRowsWithFree(rarest) * MIN_SELECTIVITY > rows.count) return undefined
  const found = new Int32Array(store.maxRowsWithFree(rarest))
  const candidateCount = store.writeRowsWithFree(rarest, found)
  let count = 0
  for (let i = 0; i < candidateCount; i++) {
    const row = found[i] ?? 0
    if (((rows.flags[row] ?? 0) & NODE_PRESENT) !== 0) found[count++] = row
  }
  // Returns the array itself where possible: creating a view costs more than the search.
  return count === found.length ? found : found.subarray(0, count)
}
