import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { Cycle } from '../framework/cycle.ts'
import { type Highest, highestOf } from './highest.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'

/** The scores of one plugin. */
export interface ScoredPlugin {
  readonly plugin: string
  readonly weight: number
  /** Normalised, by candidate; undefined when the plugin skipped the pod or nobody wants to know. */
  readonly scores: Float64Array | undefined
}

/** What the scorers say, by candidate. */
export interface ScorePass {
  readonly totals: Float64Array
  /** Of the totals. */
  readonly highest: Highest
  readonly plugins: readonly ScoredPlugin[]
}

/**
 * Runs preScore of all plugins, then score and normalizeScore of each, and adds up.
 *
 * @param keepsScores - Whether the scores of each plugin are wanted besides the totals.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunScorePlugins (v1.36)
 */
export function runScores(cycle: Cycle, candidates: Candidates, keepsScores: boolean): ScorePass {
  const scorers = cycle.participants.filter(({ plugin, weight }) => plugin.score !== undefined && weight > 0)
  const skipped = new Set<string>()
  for (const { plugin, context } of scorers) {
    if (plugin.preScore === undefined) continue
    const result = cycle.run(plugin.name, 'PreScore', () => plugin.preScore?.(cycle.pod, candidates, context))
    if (result?.kind === 'skip') skipped.add(plugin.name)
  }
  const { count } = candidates
  const totals = new Float64Array(count)
  const asked = scorers.filter(({ plugin }) => !skipped.has(plugin.name))
  const [first] = asked
  /** What the only scorer writes are the totals, of which the highest is sought anyway: one loop does for both. */
  const isPlain = asked.length === 1 && first?.weight === 1
  const plugins = scorers.map((scorer): ScoredPlugin => {
    const { plugin, weight, context } = scorer
    const { name } = plugin
    if (skipped.has(name)) return { plugin: name, weight, scores: undefined }
    // The first needs no array of its own.
    const lent = scorer === first ? undefined : cycle.table.scratch.takeFloats(count)
    // A plugin may go by the length; what is lent is longer.
    const scores = lent?.subarray(0, count) ?? totals
    cycle.run(name, 'Score', () => {
      plugin.score?.(cycle.pod, candidates, scores, context)
      plugin.normalizeScore?.(cycle.pod, candidates, scores, context)
    })
    const kept = keepsScores ? scores.slice(0, count) : undefined
    if (!isPlain) {
      const bad = scorer === first ? weigh(totals, weight, count) : addScores(scores, weight, totals, count)
      if (bad < count) throw outOfRange(name, scores[bad] ?? 0)
    }
    if (lent !== undefined) cycle.table.scratch.giveBack(lent)
    return { plugin: name, weight, scores: kept }
  })
  const highest = highestOf(totals, isPlain ? MAX_NODE_SCORE : Number.POSITIVE_INFINITY)
  if (highest.bad !== undefined) throw outOfRange(first?.plugin.name ?? '', totals[highest.bad] ?? 0)
  return { totals, highest, plugins }
}

/** Multiplies the scores in place. Answers the first candidate whose score is out of range; `count` when there is none. */
function weigh(scores: Float64Array, weight: number, count: number): number {
  for (let i = 0; i < count; i++) {
    const score = scores[i] ?? 0
    if (!(score >= 0 && score <= MAX_NODE_SCORE)) return i
    scores[i] = score * weight
  }
  return count
}

/** As {@link weigh}, and adds the products to the totals. */
function addScores(scores: Float64Array, weight: number, totals: Float64Array, count: number): number {
  for (let i = 0; i < count; i++) {
    const score = scores[i] ?? 0
    if (!(score >= 0 && score <= MAX_NODE_SCORE)) return i
    totals[i] = (totals[i] ?? 0) + score * weight
  }
  return count
}

function outOfRange(plugin: string, score: number): PluginFailure {
  return new PluginFailure(
    plugin,
    `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  )
}
