import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { Cycle, CyclePlugin } from '../framework/cycle.ts'
import { highestOf } from './highest.ts'
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
  /** The array from the pool of the cluster table that `totals` is a view of. */
  readonly pooledTotals?: Float64Array
  /** The highest total. */
  readonly highest: number
  readonly plugins: readonly ScoredPlugin[]
}

/**
 * Runs preScore of all plugins, then score and normalizeScore of each, and sums the weighted scores. Scores that are the
 * same for every node, and scores that are cached by row, are summed without calling the plugins for each node.
 *
 * @param keepsScores - Whether to keep the scores of each plugin besides the totals.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunScorePlugins (v1.36)
 */
export function runScores(cycle: Cycle, candidates: Candidates, keepsScores: boolean): ScorePass {
  const { count } = candidates
  const scorers = cycle.plugins.filter(({ plugin, weight }) => plugin.score !== undefined && weight > 0)
  const skipped = runPreScores(cycle, scorers, candidates)
  const active = scorers.filter((scorer) => !skipped.has(scorer))
  for (const { plugin } of active) cycle.countEvaluations(plugin.name, 'Score', count)
  const pooledTotals = cycle.table.scratch.takeFloats(count)
  // Readers use the length, and the pooled array may be longer.
  const totals = pooledTotals.subarray(0, count)
  const kept = new Map<CyclePlugin, Float64Array>()
  const { rest, highest }: Shortcuts = keepsScores
    ? { rest: active }
    : writeShortcuts(cycle, active, candidates, totals)
  for (const scorer of rest) {
    const { scores, outOfRange } = addScoresOf(scorer, cycle, candidates, totals)
    if (outOfRange !== undefined) throw scoreOutOfRange(scorer.plugin.name, scores[outOfRange] ?? 0)
    if (keepsScores) kept.set(scorer, scores.slice())
  }
  const plugins = scorers.map((scorer) => {
    return { plugin: scorer.plugin.name, weight: scorer.weight, scores: kept.get(scorer) }
  })
  return { totals, pooledTotals, highest: highest ?? highestOf(totals), plugins }
}

interface Shortcuts {
  /** The scorers whose scores are not in the totals yet. */
  readonly rest: readonly CyclePlugin[]
  /**
   * The highest total; undefined unless `rest` is empty. Finding it while the totals are written saves reading them once
   * more.
   */
  readonly highest?: number
}

/** Writes the sums of uniform and cached scores to the totals. */
function writeShortcuts(
  cycle: Cycle,
  scorers: readonly CyclePlugin[],
  candidates: Candidates,
  totals: Float64Array,
): Shortcuts {
  let base = 0
  const shaped: CyclePlugin[] = []
  const others: CyclePlugin[] = []
  for (const scorer of scorers) {
    const { plugin, weight, context } = scorer
    const { uniformScore } = plugin
    const score = uniformScore && cycle.run(plugin.name, 'Score', () => uniformScore(cycle.pod, context))
    if (score !== undefined) base += score * weight
    else if (plugin.scoreShape === undefined) others.push(scorer)
    else shaped.push(scorer)
  }
  const sums = shaped.length > 0 ? cachedSums(cycle, shaped, candidates) : undefined
  let highest = sums && writeByRow(sums, candidates, base, totals)
  const rest = highest === undefined ? [...shaped, ...others] : others
  if (highest === undefined) totals.fill((highest = base))
  return { rest, ...(rest.length === 0 && { highest }) }
}

/**
 * Returns the weighted sum of the plugins' scores by row, NaN where a score is out of range, as it may be on a node where
 * the pod does not fit. Returns undefined where computing the sums directly is as fast.
 */
function cachedSums(cycle: Cycle, shaped: readonly CyclePlugin[], candidates: Candidates): Float64Array | undefined {
  const { rowValues, rowCount } = cycle.table
  const shape = (): string =>
    shaped.map(({ plugin }) => `${plugin.name} ${plugin.scoreShape?.(cycle.pod) ?? ''}`).join('\n')
  return rowValues.lookup(cycle.framework, shape, rowCount, candidates, (missing, sums) => {
    for (const scorer of shaped) addScoresOf(scorer, cycle, missing, sums)
  })
}

/** Runs preScore of the scorers. Returns those that skip the pod. */
function runPreScores(cycle: Cycle, scorers: readonly CyclePlugin[], candidates: Candidates): Set<CyclePlugin> {
  const skipped = new Set<CyclePlugin>()
  for (const scorer of scorers) {
    const { plugin, context } = scorer
    if (plugin.preScore === undefined) continue
    const result = cycle.run(plugin.name, 'PreScore', () => plugin.preScore?.(cycle.pod, candidates, context))
    if (result?.kind === 'skip') skipped.add(scorer)
    else cycle.countEvaluations(plugin.name, 'PreScore', 1)
  }
  return skipped
}

interface AddedScores {
  /** Valid until the next call. */
  readonly scores: Float64Array
  /** The first candidate whose score is out of range; undefined when there is none. */
  readonly outOfRange: number | undefined
}

/** Scores the candidates and adds the weighted scores to the totals. */
function addScoresOf(
  { plugin, weight, context }: CyclePlugin,
  cycle: Cycle,
  candidates: Candidates,
  totals: Float64Array,
): AddedScores {
  const { scratch } = cycle.table
  const { count } = candidates
  const pooled = scratch.takeFloats(count)
  // A plugin may use the array's length, and the pooled array may be longer.
  const scores = pooled.subarray(0, count)
  cycle.run(plugin.name, 'Score', () => {
    plugin.score?.(cycle.pod, candidates, scores, context)
    plugin.normalizeScore?.(cycle.pod, candidates, scores, context)
  })
  const outOfRange = addWeighted(scores, weight, totals, count)
  scratch.giveBack(pooled)
  return { scores, outOfRange }
}

/** Adds the weighted scores to the totals, NaN for a score that is out of range. Returns the first such candidate. */
function addWeighted(scores: Float64Array, weight: number, totals: Float64Array, count: number): number | undefined {
  let outOfRange: number | undefined
  for (let i = 0; i < count; i++) {
    const score = scores[i] ?? 0
    if (score >= 0 && score <= MAX_NODE_SCORE) {
      totals[i] = (totals[i] ?? 0) + score * weight
    } else {
      totals[i] = Number.NaN
      outOfRange ??= i
    }
  }
  return outOfRange
}

/**
 * Writes `base` plus the sum of each candidate's row to the totals. Returns the highest total; undefined when a sum is
 * NaN.
 */
function writeByRow(
  sums: Float64Array,
  { rows, count }: Candidates,
  base: number,
  totals: Float64Array,
): number | undefined {
  let highest = -1
  for (let i = 0; i < count; i++) {
    const total = base + (sums[rows[i] ?? 0] ?? 0)
    totals[i] = total
    if (total <= highest) continue
    if (Number.isNaN(total)) return undefined
    highest = total
  }
  return highest
}

function scoreOutOfRange(plugin: string, score: number): PluginFailure {
  return new PluginFailure(
    plugin,
    'Score',
    `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  )
}
