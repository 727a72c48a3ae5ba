import { type Candidates, type DecidePlugin, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import { Cycle, type CycleInput, type CyclePlugin } from './cycle.ts'
import { FilterSink } from './filter-sink.ts'
import { createFramework } from './framework.ts'
import { runHook } from './plugin-failure.ts'

/**
 * A filter's status for one node. A code that is not a verdict on a node becomes Error, which would fail an attempt.
 */
export interface FilterStatus {
  readonly code: StatusCode
  readonly reasons: readonly string[]
}

/** Results of one filter, run alone. */
export interface FilterExamination {
  readonly preFilter: PreFilterResult
  /** By node name, for every node of the state, also those that preFilter excludes; without nominated pods. */
  readonly nodes: ReadonlyMap<string, FilterStatus>
}

/** Results of one scorer, run alone. */
export interface ScoreExamination {
  readonly isSkipped: boolean
  /** By node name, before normalizeScore, for every node of the state. */
  readonly raw: ReadonlyMap<string, number>
  /** By node name, for feasible nodes only. Values are not checked for range. */
  readonly normalized: ReadonlyMap<string, number>
}

const success: FilterStatus = { code: StatusCode.Success, reasons: [] }

function singlePluginCycle(plugin: DecidePlugin, state: ClusterState, pod: Pod, input: CycleInput) {
  const table = tableOf(state)
  const cycle = new Cycle(createFramework({ plugins: [{ plugin, weight: 1 }] }), table, pod, input)
  const rows = table.rows.liveRows()
  const [participant] = cycle.plugins
  return { table, participant, candidates: { rows, count: rows.length } }
}

/**
 * Runs one filter on every node, without other plugins.
 *
 * @throws Error when the plugin throws; the message names it.
 */
export function examineFilter(
  plugin: DecidePlugin,
  state: ClusterState,
  pod: Pod,
  input: CycleInput,
): FilterExamination {
  const { table, participant, candidates } = singlePluginCycle(plugin, state, pod, input)
  const nodes = new Map<string, FilterStatus>()
  const preFilter = participant && preFilterOf(participant, pod, candidates)
  const sink = new FilterSink(candidates.count)
  if (participant !== undefined && preFilter?.kind !== 'skip' && preFilter?.kind !== 'reject') {
    const { plugin: filter, context } = participant
    sink.start(candidates.count)
    runHook(filter.name, 'Filter', () => filter.filter?.(pod, candidates, sink, context))
  }
  candidates.rows.forEach((row, i) => nodes.set(table.nodeName(row), statusOf(preFilter, sink, i)))
  return { preFilter, nodes }
}

function preFilterOf({ plugin, context }: CyclePlugin, pod: Pod, candidates: Candidates): PreFilterResult {
  return runHook(plugin.name, 'PreFilter', () => plugin.preFilter?.(pod, candidates, context))
}

function statusOf(preFilter: PreFilterResult, sink: FilterSink, i: number): FilterStatus {
  if (preFilter?.kind === 'reject') return { code: preFilter.code, reasons: preFilter.reasons }
  const code = sink.codes[i]
  if (code === undefined || code === StatusCode.Success) return success
  const isPlain = code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable
  return { code: isPlain ? code : StatusCode.Error, reasons: sink.reasonsOf(i) }
}

/**
 * Runs one scorer on every node. `feasible` names the nodes that it is given as feasible.
 *
 * @throws Error when the plugin throws; the message names it.
 */
export function examineScore(
  plugin: DecidePlugin,
  state: ClusterState,
  pod: Pod,
  input: CycleInput & { readonly feasible: readonly string[] },
): ScoreExamination {
  const { table, participant, candidates } = singlePluginCycle(plugin, state, pod, input)
  const raw = new Map<string, number>()
  const normalized = new Map<string, number>()
  if (participant === undefined) return { isSkipped: true, raw, normalized }
  const { plugin: scorer, context } = participant
  const feasible = Int32Array.from(input.feasible.flatMap((name) => table.rowOf(name) ?? [])).sort()
  const choice: Candidates = feasible.length === 0 ? candidates : { rows: feasible, count: feasible.length }
  preFilterOf(participant, pod, candidates)
  const skip = runHook(scorer.name, 'PreScore', () => scorer.preScore?.(pod, choice, context))
  if (skip?.kind === 'skip') return { isSkipped: true, raw, normalized }
  const scoresOf = (examined: Candidates): Float64Array => {
    const scores = new Float64Array(examined.count)
    runHook(scorer.name, 'Score', () => scorer.score?.(pod, examined, scores, context))
    return scores
  }
  scoresOf(candidates).forEach((score, i) => raw.set(table.nodeName(candidates.rows[i] ?? 0), score))
  if (feasible.length > 0) {
    const scores = scoresOf(choice)
    runHook(scorer.name, 'Score', () => scorer.normalizeScore?.(pod, choice, scores, context))
    scores.forEach((score, i) => normalized.set(table.nodeName(feasible[i] ?? 0), score))
  }
  return { isSkipped: false, raw, normalized }
}
