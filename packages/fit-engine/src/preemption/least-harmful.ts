import type { Pod } from '@berth/types'
import { priorityOf, startOf } from './pod-importance.ts'
import type { PreemptionCandidate } from './preemption.ts'

/** Makes every priority positive, so that fewer victims are never worse for having negative ones. */
const PRIORITY_OFFSET = 2 ** 31

/** When the first of the most important victims started: the later, the less is lost. */
function firstStart(victims: readonly Pod[], nowMs: number): number {
  const highest = Math.max(...victims.map(priorityOf))
  return Math.min(...victims.filter((pod) => priorityOf(pod) === highest).map((pod) => startOf(pod, nowMs)))
}

/**
 * The candidates that all criteria find best: fewest violated budgets, lowest priority of the most important victim,
 * smallest sum of priorities, fewest victims, latest start of the most important victims.
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
    ({ victims }) => -firstStart(victims, nowMs),
  ]
  return harms.reduce((best, harmOf) => {
    const least = Math.min(...best.map(harmOf))
    return best.filter((candidate) => harmOf(candidate) === least)
  }, candidates)
}
