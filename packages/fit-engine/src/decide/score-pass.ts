import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { Cycle } from '../framework/cycle.ts'
import { type Highest, highestOf } from './highest.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'

/** The scores of one plugin. */
export interface ScoredPlugin {
  readonly plugin: string
  readonly weight: number
  /** Normalized, by candidate; undefined when the plugin skipped the pod or scores are not kept. */
  readonly scores: Float64Array | undefined
}

/** Results of the scorers, by candidate. */
export interface ScorePass {
  readonly totals: Float64Array
  /** The highest total. */
  readonly highest: Highest
  readonly plugins: readonly ScoredPlugin[]
}

/**
 * Runs preScore of all plugins, then score and normalizeScore of each, and sums the weighted scores.
 *
 * @param keepsScores - Whether to keep the scores of each plugin besides the totals.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunScorePlugins (v1.36)
 */
export function runScores(cycle: Cycle, candidates: Candidates, keepsScores: boolean): ScorePass {
  const scorers = cycle.plugins.filter(({ plugin, weight }) => plugin.score !== undefined && weight > 0)
  const skipped = new Set<string>()
  for (const { plugin, context } of scorers) {
    if (plugin.preScore === undefined) continue
    const result = cycle.run(plugin.name, 'PreScore', () => plugin.preScore?.(cycle.pod, candidates, context))
    if (result?.kind === 'skip') skipped.add(plugin.name)
    else cycle.countEvaluations(plugin.name, 'PreScore', 1)
  }
  const { count } = candidates
  const totals = new Float64Array(count)
  const active = scorers.filter(({ plugin }) => !skipped.has(plugin.name))
  const [first] = active
  /** A single scorer with weight 1 writes the totals directly; the search for the highest then checks their range. */
  const isSingle = active.length === 1 && first?.weight === 1
  const plugins = scorers.map((scorer): ScoredPlugin => {
    const { plugin, weight, context } = scorer
    const { name } = plugin
    if (skipped.has(name)) return { plugin: name, weight, scores: undefined }
    // The first scorer writes into the totals.
    const borrowed = scorer === first ? undefined : cycle.table.scratch.takeFloats(count)
    // A plugin may use the array's length, and the borrowed array may be longer.
    const scores = borrowed?.subarray(0, count) ?? totals
    cycle.countEvaluations(name, 'Score', count)
    cycle.run(name, 'Score', () => {
      plugin.score?.(cycle.pod, candidates, scores, context)
      plugin.normalizeScore?.(cycle.pod, candidates, scores, context)
    })
    const kept = keepsScores ? scores.slice(0, count) : undefined
    if (!isSingle) {
      const failedAt = scorer === first ? applyWeight(totals, weight, count) : addScores(scores, weight, totals, count)
      if (failedAt < count) throw scoreOutOfRange(name, scores[failedAt] ?? 0)
    }
    if (borrowed !== undefined) cycle.table.scratch.giveBack(borrowed)
    return { plugin: name, weight, scores: kept }
  })
  const highest = highestOf(totals, isSingle ? MAX_NODE_SCORE : Number.POSITIVE_INFINITY)
  if (highest.outOfRangeIndex !== undefined)
    throw scoreOutOfRange(first?.plugin.name ?? '', totals[highest.outOfRangeIndex] ?? 0)
  return { totals, highest, plugins }
}

/** Multiplies the scores in place. Returns the first candidate whose score is out of range, or `count`. */
function applyWeight(scores: Float64Array, weight: number, count: number): number {
  for (let i = 0; i < count; i++) {
    const score = scores[i] ?? 0
    if (!(score >= 0 && score <= MAX_NODE_SCORE)) return i
    scores[i] = score * weight
  }
  return count
}

/** Adds the weighted scores to the totals. Returns the first candidate whose score is out of range, or `count`. */
function addScores(scores: Float64Array, weight: number, totals: Float64Array, count: number): number {
  for (let i = 0; i < count; i++) {
    const score = scores[i] ?? 0
    if (!(score >= 0 && score <= MAX_NODE_SCORE)) return i
    totals[i] = (totals[i] ?? 0) + score * weight
  }
  return count
}

function scoreOutOfRange(plugin: string, score: number): PluginFailure {
  return new PluginFailure(
    plugin,
    'Score',
    `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  )
}
