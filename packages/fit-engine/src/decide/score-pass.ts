import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { Cycle, CyclePlugin } from '../framework/cycle.ts'
import { highestOf } from './highest.ts'
import { PluginFailure, runHook } from '../framework/plugin-failure.ts'

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
 * same for every node, and scores that are cached by row, are summed without computing them again.
 *
 * @param keepsScores - Whether to keep the scores of each plugin besides the totals. Then every score is computed.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunScorePlugins (v1.36)
 */
export function runScores(cycle: Cycle, candidates: Candidates, keepsScores: boolean): ScorePass {
  const { count } = candidates
  const scorers = cycle.plugins.filter(({ plugin, weight }) => plugin.score !== undefined && weight > 0)
  const skipped = runPreScores(cycle, scorers, candidates)
  const active = scorers.filter((scorer) => !skipped.has(scorer))
  const pooledTotals = cycle.table.scratch.takeFloats(count)
  // Readers use the length, and the pooled array may be longer.
  const totals = pooledTotals.subarray(0, count)
  const kept = new Map<CyclePlugin, Float64Array>()
  const { rest, highest }: Shortcuts = keepsScores
    ? { rest: active }
    : writeShortcuts(cycle, active, candidates, totals)
  for (const scorer of rest) {
    cycle.countEvaluations(scorer.plugin.name, 'Score', count)
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
  /** The scorers whose scores are not in the totals yet, in order. */
  readonly rest: readonly CyclePlugin[]
  /**
   * The highest total; undefined unless `rest` is empty. Finding it while the totals are written saves reading them once
   * more.
   */
  readonly highest?: number
}

/** Replaces the totals by the sums of uniform and cached scores. */
function writeShortcuts(
  cycle: Cycle,
  scorers: readonly CyclePlugin[],
  candidates: Candidates,
  totals: Float64Array,
): Shortcuts {
  const done = new Set<CyclePlugin>()
  let base = 0
  for (const scorer of scorers) {
    const score = uniformScore(cycle, scorer)
    if (score === undefined) continue
    base += score * scorer.weight
    done.add(scorer)
  }
  const shaped = scorers.filter((scorer) => !done.has(scorer) && scorer.plugin.scoreShape !== undefined)
  const sums = shaped.length > 0 ? cachedSums(cycle, shaped, candidates) : undefined
  const highestSum = sums && writeByRow(sums, candidates, base, totals)
  if (highestSum === undefined) totals.fill(base)
  else for (const scorer of shaped) done.add(scorer)
  for (const { plugin } of done) cycle.countEvaluations(plugin.name, 'Score', candidates.count)
  const rest = scorers.filter((scorer) => !done.has(scorer))
  return rest.length > 0 ? { rest } : { rest, highest: highestSum ?? base }
}

/** Returns the score that the plugin gives to every node; undefined if they differ. */
function uniformScore(cycle: Cycle, { plugin, context }: CyclePlugin): number | undefined {
  if (plugin.uniformScore === undefined) return undefined
  return cycle.runOptional(plugin.name, 'Score', () => plugin.uniformScore?.(cycle.pod, context))
}

/**
 * Returns the weighted sum of the plugins' scores by row, NaN where a score is out of range, as it may be on a node where
 * the pod does not fit. Returns undefined where computing the sums directly is as fast.
 */
function cachedSums(cycle: Cycle, shaped: readonly CyclePlugin[], candidates: Candidates): Float64Array | undefined {
  const { pod, table, framework } = cycle
  const shapeOf = ({ plugin }: CyclePlugin): string =>
    `${plugin.name} ${runHook(plugin.name, 'Score', () => plugin.scoreShape?.(pod)) ?? ''}`
  return table.rowValues.lookup(
    framework,
    () => shaped.map(shapeOf).join('\n'),
    table.rowCount,
    candidates,
    (missing, sums) => {
      for (const scorer of shaped) addScoresOf(scorer, cycle, missing, sums)
    },
  )
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
  /** By candidate, valid until the next array is taken from the pool. */
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

/**
 * Adds the weighted scores to the totals, NaN for a score that is out of range. Returns the first such candidate;
 * undefined when there is none.
 */
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
 * NaN, and then only some of the totals are written.
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
