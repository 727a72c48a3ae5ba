/** How many replicas a Deployment may have beyond, and miss below, what it wants. */
export interface RolloutBounds {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** Reads `maxSurge` and `maxUnavailable`: numbers, or percentages of `desired` (surge rounds up, unavailable down). */
export function rolloutBounds(surge: unknown, unavailable: unknown, desired: number): RolloutBounds {
  const maxSurge = amountOf(surge, desired, Math.ceil)
  const maxUnavailable = amountOf(unavailable, desired, Math.floor)
  // Both zero would never move.
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable }
}

/** A number, or a percentage of `total`. */
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

/** What a rolling update does next: replicas of the new set and of each old one. */
export interface RolloutStep {
  readonly fresh: number
  readonly old: readonly number[]
}

/** Grows the new set within the surge, and shrinks the old ones as far as enough pods stay available. */
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
  // Pods that are not available anyway go first.
  const cleaned = old.map((set) => {
    const dead = Math.min(spare, Math.max(0, set.wanted - set.available))
    spare -= dead
    return { wanted: set.wanted - dead, available: set.available }
  })
  const available = fresh.available + cleaned.reduce((sum, set) => sum + Math.min(set.wanted, set.available), 0)
  let removable = Math.max(0, available - (desired - bounds.maxUnavailable))
  return {
    fresh: freshWanted,
    old: cleaned.map(({ wanted }) => {
      const less = Math.min(removable, wanted)
      removable -= less
      return wanted - less
    }),
  }
}
