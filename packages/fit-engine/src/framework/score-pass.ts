import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { Cycle } from './cycle.ts'
import { PluginFailure } from './plugin-failure.ts'

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
  const totals = new Float64Array(candidates.count)
  const plugins = scorers.map(({ plugin, weight, context }): ScoredPlugin => {
    const { name } = plugin
    if (skipped.has(name)) return { plugin: name, weight, scores: undefined }
    const scores = cycle.table.scratch.takeFloats(candidates.count)
    cycle.run(name, 'Score', () => {
      plugin.score?.(cycle.pod, candidates, scores, context)
      plugin.normalizeScore?.(cycle.pod, candidates, scores, context)
    })
    const bad = addScores(scores, weight, totals, candidates.count)
    if (bad < candidates.count) throw outOfRange(name, scores[bad] ?? 0)
    const kept = keepsScores ? scores.slice(0, candidates.count) : undefined
    cycle.table.scratch.giveBack(scores)
    return { plugin: name, weight, scores: kept }
  })
  return { totals, plugins }
}

/** Answers the first candidate whose score is out of range; `count` when there is none. */
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
