/** Counts how many of the latest attempts failed. */
export interface FailureShare {
  add(isFailure: boolean): void
  /** Returns the share of failures, from 0 to 1; 0 before the first attempt. */
  share(): number
}

/** Creates a count of the latest `size` attempts. Attempts before the first one count as successes. */
export function createFailureShare(size: number): FailureShare {
  const latest: boolean[] = Array.from({ length: size }, () => false)
  let next = 0
  let failures = 0
  return {
    add(isFailure) {
      failures += Number(isFailure) - Number(latest[next])
      latest[next] = isFailure
      next = (next + 1) % size
    },
    share: () => failures / size,
  }
}
