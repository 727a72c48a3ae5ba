import type { Measurement } from '../measurement.ts'

/** A goal for one measurement of Berth: at least a ratio to kube-scheduler, or at most a median. */
export type Goal = { readonly ratioAtLeast: number } | { readonly medianAtMost: number }

/** Adds a goal and whether it is met. */
export function withGoal(measured: Measurement, goal: Goal | undefined): Measurement {
  if (goal === undefined) return measured
  return 'ratioAtLeast' in goal
    ? {
        ...measured,
        goal: `ratio >= ${goal.ratioAtLeast}`,
        isGoalMet: (measured.ratio ?? 0) >= goal.ratioAtLeast,
      }
    : {
        ...measured,
        goal: `median <= ${goal.medianAtMost}`,
        isGoalMet: measured.median <= goal.medianAtMost,
      }
}
