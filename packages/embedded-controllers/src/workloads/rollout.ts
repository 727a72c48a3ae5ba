/** How many replicas a Deployment may have above and below the desired number during a rollout. */
export interface RolloutBounds {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** Resolves `maxSurge` and `maxUnavailable`: numbers, or percentages of `desired` (surge rounds up, unavailable down). */
export function rolloutBounds(surge: unknown, unavailable: unknown, desired: number): RolloutBounds {
  const maxSurge = amountOf(surge, desired, Math.ceil)
  const maxUnavailable = amountOf(unavailable, desired, Math.floor)
  // With both zero the rollout could not progress.
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable }
}

/** Resolves a number or a percentage of `total`. */
export function amountOf(value: unknown, total: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value
  const percent = typeof value === 'string' && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : 0
  return round((percent * total) / 100)
}

/** One ReplicaSet of a rollout. */
export interface RolloutSet {
  readonly wanted: number
  /** Ready pods. */
  readonly available: number
}

/** The next step of a rolling update: replicas of the new set and of each old one. */
export interface RolloutStep {
  readonly fresh: number
  readonly old: readonly number[]
}

/** Scales the new set up within the surge, and the old ones down while enough pods stay available. */
export function rollingStep(
  desired: number,
  bounds: RolloutBounds,
  fresh: RolloutSet,
  old: readonly RolloutSet[],
): RolloutStep {
  const oldWanted = old.reduce((sum, set) => sum + set.wanted, 0)
  const room = Math.max(0, desired + bounds.maxSurge - oldWanted - fresh.wanted)
  const freshWanted = fresh.wanted > desired ? desired : Math.min(desired, fresh.wanted + room)
  const freshMissing = Math.max(0, freshWanted - fresh.available)
  let spare = Math.max(0, oldWanted + freshWanted - (desired - bounds.maxUnavailable) - freshMissing)
  // Pods that are not available are removed first.
  const cleaned = old.map((set) => {
    const unavailable = Math.min(spare, Math.max(0, set.wanted - set.available))
    spare -= unavailable
    return { wanted: set.wanted - unavailable, available: set.available }
  })
  const available = fresh.available + cleaned.reduce((sum, set) => sum + Math.min(set.wanted, set.available), 0)
  let removable = Math.max(0, available - (desired - bounds.maxUnavailable))
  return {
    fresh: freshWanted,
    old: cleaned.map(({ wanted }) => {
      const removed = Math.min(removable, wanted)
      removable -= removed
      return wanted - removed
    }),
  }
}
