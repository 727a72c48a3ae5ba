import { type Candidates, type DecidePlugin, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import { Cycle, type CycleInput, type Participant } from './cycle.ts'
import { FilterSink } from './filter-sink.ts'
import { createFramework } from './framework.ts'
import { guarded } from './plugin-failure.ts'

/** A filter's answer for one node; what is no verdict on a node is an Error, which would end an attempt. */
export interface FilterStatus {
  readonly code: StatusCode
  readonly reasons: readonly string[]
}

/** What one filter says when it is asked alone. */
export interface FilterExamination {
  readonly preFilter: PreFilterResult
  /** By node name, every node of the state; not narrowed, without nominated pods. */
  readonly nodes: ReadonlyMap<string, FilterStatus>
}

/** What one scorer says when it is asked alone. */
export interface ScoreExamination {
  readonly isSkipped: boolean
  /** By node name, before normalizeScore; every node of the state. */
  readonly raw: ReadonlyMap<string, number>
  /** By node name; feasible nodes only. Not checked: a broken scorer's values are there as they are. */
  readonly normalized: ReadonlyMap<string, number>
}

const success: FilterStatus = { code: StatusCode.Success, reasons: [] }

function alone(plugin: DecidePlugin, state: ClusterState, pod: Pod, input: CycleInput) {
  const table = tableOf(state)
  const cycle = new Cycle(createFramework({ plugins: [{ plugin, weight: 1 }] }), table, pod, input)
  const rows = table.rows.liveRows()
  const [participant] = cycle.participants
  return { table, participant, candidates: { rows, count: rows.length } }
}

/**
 * Asks one filter about every node, whatever the other plugins say.
 *
 * @throws Error when the plugin throws; the message names it.
 */
export function examineFilter(
  plugin: DecidePlugin,
  state: ClusterState,
  pod: Pod,
  input: CycleInput,
): FilterExamination {
  const { table, participant, candidates } = alone(plugin, state, pod, input)
  const nodes = new Map<string, FilterStatus>()
  const preFilter = participant && preFilterOf(participant, pod, candidates)
  const sink = new FilterSink(candidates.count)
  if (participant !== undefined && preFilter?.kind !== 'skip' && preFilter?.kind !== 'reject') {
    const { plugin: filter, context } = participant
    sink.start(candidates.count)
    guarded(filter.name, 'Filter', () => filter.filter?.(pod, candidates, sink, context))
  }
  candidates.rows.forEach((row, i) => nodes.set(table.nodeName(row), statusOf(preFilter, sink, i)))
  return { preFilter, nodes }
}

function preFilterOf({ plugin, context }: Participant, pod: Pod, candidates: Candidates): PreFilterResult {
  return guarded(plugin.name, 'PreFilter', () => plugin.preFilter?.(pod, candidates, context))
}

function statusOf(preFilter: PreFilterResult, sink: FilterSink, i: number): FilterStatus {
  if (preFilter?.kind === 'reject') return { code: preFilter.code, reasons: preFilter.reasons }
  const code = sink.codes[i]
  if (code === undefined || code === StatusCode.Success) return success
  const isPlain = code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable
  return { code: isPlain ? code : StatusCode.Error, reasons: sink.reasonsOf(i) }
}

/**
 * Asks one scorer about every node; `feasible` names the nodes that it is told to choose from.
 *
 * @throws Error when the plugin throws; the message names it.
 */
export function examineScore(
  plugin: DecidePlugin,
  state: ClusterState,
  pod: Pod,
  input: CycleInput & { readonly feasible: readonly string[] },
): ScoreExamination {
  const { table, participant, candidates } = alone(plugin, state, pod, input)
  const raw = new Map<string, number>()
  const normalized = new Map<string, number>()
  if (participant === undefined) return { isSkipped: true, raw, normalized }
  const { plugin: scorer, context } = participant
  const feasible = Int32Array.from(input.feasible.flatMap((name) => table.rowOf(name) ?? [])).sort()
  const choice: Candidates = feasible.length === 0 ? candidates : { rows: feasible, count: feasible.length }
  preFilterOf(participant, pod, candidates)
  const skip = guarded(scorer.name, 'PreScore', () => scorer.preScore?.(pod, choice, context))
  if (skip?.kind === 'skip') return { isSkipped: true, raw, normalized }
  const scoresOf = (asked: Candidates): Float64Array => {
    const scores = new Float64Array(asked.count)
    guarded(scorer.name, 'Score', () => scorer.score?.(pod, asked, scores, context))
    return scores
  }
  scoresOf(candidates).forEach((score, i) => raw.set(table.nodeName(candidates.rows[i] ?? 0), score))
  if (feasible.length > 0) {
    const scores = scoresOf(choice)
    guarded(scorer.name, 'Score', () => scorer.normalizeScore?.(pod, choice, scores, context))
    scores.forEach((score, i) => normalized.set(table.nodeName(feasible[i] ?? 0), score))
  }
  return { isSkipped: false, raw, normalized }
}
