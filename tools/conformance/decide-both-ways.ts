import { isDeepStrictEqual } from 'node:util'
import { type ClusterState, decide, type DecideOptions, type Decision, type Framework } from '@berth/fit-engine'
import type { Pod } from '@berth/types'

/** The engine caches scores from the second decision for a shape on, so the third one uses the cache. */
const REPETITIONS = 3

/** Returns the part of a decision that must be equal both ways; scores only when several nodes are feasible. */
function comparedPart({ feasible, best, totals, message, error }: Decision): unknown {
  return { feasible, message, error: error?.message, ...(feasible.length > 1 && { best, totals }) }
}

/**
 * Decides with all rejection reasons, and again like the scheduler: without reasons when a node is feasible, and without
 * scores when only one is.
 *
 * @throws Error when the two decisions differ.
 */
export function decideBothWays(framework: Framework, state: ClusterState, pod: Pod, options: DecideOptions): Decision {
  const full = decide(framework, state, pod, options)
  // When a filter fails, the fast path may have stopped before that node.
  if (full.error !== undefined && full.feasible.length === 0) return full
  const score = options.score === false ? false : 'when-several'
  for (let time = 0; time < REPETITIONS; time++) {
    const quick = decide(framework, state, pod, { ...options, rejections: 'when-none-fits', score })
    if (isDeepStrictEqual(comparedPart(quick), comparedPart(full))) continue
    throw new Error(`the decision without reasons is ${format(quick)}, with reasons ${format(full)}`)
  }
  return full
}

function format(decision: Decision): string {
  return JSON.stringify(comparedPart(decision), (_key, value: unknown) => (value instanceof Map ? [...value] : value))
}
