import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { Cycle } from './cycle.ts'
import { guarded, PluginFailure } from './plugin-failure.ts'

/** The scores of one plugin. */
export interface ScoredPlugin {
  readonly plugin: string
  readonly weight: number
  /** Normalised, by candidate; undefined when the plugin skipped the pod. */
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
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunScorePlugins (v1.36)
 */
export function runScores(cycle: Cycle, candidates: Candidates): ScorePass {
  const scorers = cycle.participants.filter(({ plugin, weight }) => plugin.score !== undefined && weight > 0)
  const skipped = new Set<string>()
  for (const { plugin, context } of scorers) {
    const result = guarded(plugin.name, 'PreScore', () => plugin.preScore?.(cycle.pod, candidates, context))
    if (result?.kind === 'skip') skipped.add(plugin.name)
  }
  const totals = new Float64Array(candidates.count)
  const plugins = scorers.map(({ plugin, weight, context }): ScoredPlugin => {
    if (skipped.has(plugin.name)) return { plugin: plugin.name, weight, scores: undefined }
    const scores = new Float64Array(candidates.count)
    guarded(plugin.name, 'Score', () => {
      plugin.score?.(cycle.pod, candidates, scores, context)
      plugin.normalizeScore?.(cycle.pod, candidates, scores, context)
    })
    for (let i = 0; i < candidates.count; i++) {
      const score = scores[i] ?? 0
      if (!(score >= 0 && score <= MAX_NODE_SCORE)) throw outOfRange(plugin.name, score)
      totals[i] = (totals[i] ?? 0) + score * weight
    }
    return { plugin: plugin.name, weight, scores }
  })
  return { totals, plugins }
}

function outOfRange(plugin: string, score: number): PluginFailure {
  return new PluginFailure(
    plugin,
    `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  )
}
