import type { Pod } from '@berth/types'
import { priorityOf, startOf } from './pod-importance.ts'
import type { PreemptionCandidate } from './preemption.ts'

/** Makes every priority positive, so that negative priorities do not favor more victims. */
const PRIORITY_OFFSET = 2 ** 31

/** Returns when the first of the most important victims started. A later start means less lost work. */
function earliestStart(victims: readonly Pod[], nowMs: number): number {
  const highest = Math.max(...victims.map(priorityOf))
  return Math.min(...victims.filter((pod) => priorityOf(pod) === highest).map((pod) => startOf(pod, nowMs)))
}

/**
 * Returns the candidates that are best by these criteria, in order: fewest violated budgets, lowest priority of the
 * most important victim, smallest sum of priorities, fewest victims, latest start of the most important victims.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/preemption pickOneNodeForPreemption (v1.36)
 */
export function leastHarmful(
  candidates: readonly PreemptionCandidate[],
  nowMs: number,
): readonly PreemptionCandidate[] {
  const harms: readonly ((candidate: PreemptionCandidate) => number)[] = [
    ({ violations }) => violations,
    ({ victims }) => Math.max(...victims.map(priorityOf)),
    ({ victims }) => victims.reduce((sum, pod) => sum + priorityOf(pod) + PRIORITY_OFFSET, 0),
    ({ victims }) => victims.length,
    ({ victims }) => -earliestStart(victims, nowMs),
  ]
  return harms.reduce((best, harmOf) => {
    const least = Math.min(...best.map(harmOf))
    return best.filter((candidate) => harmOf(candidate) === least)
  }, candidates)
}
