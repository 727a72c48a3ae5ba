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
  readonly replicas: number
  /** Ready pods. */
  readonly available: number
}

/** A step of a rolling update: the replicas of the new ReplicaSet and of each old one. */
export interface RolloutStep {
  readonly newReplicas: number
  readonly oldReplicas: readonly number[]
}

/** Computes the next step: the new set grows within the surge, the old ones shrink while enough pods stay available. */
export function rollingStep(
  desired: number,
  bounds: RolloutBounds,
  newSet: RolloutSet,
  old: readonly RolloutSet[],
): RolloutStep {
  const oldReplicas = old.reduce((sum, set) => sum + set.replicas, 0)
  const room = Math.max(0, desired + bounds.maxSurge - oldReplicas - newSet.replicas)
  const newReplicas = newSet.replicas > desired ? desired : Math.min(desired, newSet.replicas + room)
  const newUnavailable = Math.max(0, newReplicas - newSet.available)
  let spare = Math.max(0, oldReplicas + newReplicas - (desired - bounds.maxUnavailable) - newUnavailable)
  // Pods that are not available are removed first.
  const cleaned = old.map((set) => {
    const unavailable = Math.min(spare, Math.max(0, set.replicas - set.available))
    spare -= unavailable
    return { replicas: set.replicas - unavailable, available: set.available }
  })
  const available = newSet.available + cleaned.reduce((sum, set) => sum + Math.min(set.replicas, set.available), 0)
  let removable = Math.max(0, available - (desired - bounds.maxUnavailable))
  return {
    newReplicas,
    oldReplicas: cleaned.map(({ replicas }) => {
      const removed = Math.min(removable, replicas)
      removable -= removed
      return replicas - removed
    }),
  }
}
