import { isDeepStrictEqual } from 'node:util'
import { type ClusterState, decide, type DecideOptions, type Decision, type Framework } from '@berth/fit-engine'
import type { Pod } from '@berth/types'

/** Answers are remembered from the second time on: the third comes from what is remembered. */
const TIMES = 3

/** What both ways must agree on; scores only where there is a choice. */
function essence({ feasible, best, totals, message, error }: Decision): unknown {
  return { feasible, message, error: error?.message, ...(feasible.length > 1 && { best, totals }) }
}

/**
 * Decides with every reason, and as the scheduler does: without reasons where some node fits, and without scores where
 * only one does. Both ways must find the same.
 *
 * @throws Error when they differ.
 */
export function decideBothWays(framework: Framework, state: ClusterState, pod: Pod, options: DecideOptions): Decision {
  const full = decide(framework, state, pod, options)
  // Where a filter broke, the quick way may not have come to that node.
  if (full.error !== undefined && full.feasible.length === 0) return full
  const score = options.score === false ? false : 'when-several'
  for (let time = 0; time < TIMES; time++) {
    const quick = decide(framework, state, pod, { ...options, rejections: 'when-none-fits', score })
    if (isDeepStrictEqual(essence(quick), essence(full))) continue
    throw new Error(`without reasons the answer is ${shown(quick)}, with reasons ${shown(full)}`)
  }
  return full
}

function shown(decision: Decision): string {
  return JSON.stringify(essence(decision), (_key, value: unknown) => (value instanceof Map ? [...value] : value))
}
