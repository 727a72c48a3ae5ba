import type { Clock } from '@berth/types'

/** How often it is looked whether the cluster changed. */
const STEP_MS = 5

/** What {@link secondLook} looks at. */
export interface SecondLookParts<T> {
  /** The first answer, and what it would be now. */
  readonly look: () => T
  /** Whether the answer may be given at once. */
  readonly isWelcome: (answer: T) => boolean
  /** Grows with every change of the cluster that is known here. */
  readonly generation: () => number
  readonly clock: Clock
  /** How long an unwelcome answer is held back; 0: not at all. */
  readonly limitMs: number
}

/**
 * The first answer if it is welcome, else the first welcome one within the limit, else the last. kube-scheduler tries
 * a pod again the moment it sees another one leave; the same news may reach us a few milliseconds later, and after a
 * refusal nothing would make it ask again.
 */
export async function secondLook<T>(parts: SecondLookParts<T>): Promise<T> {
  const { look, isWelcome, generation, clock, limitMs } = parts
  const endMs = clock.monotonic() + limitMs
  let seen = generation()
  let answer = look()
  while (!isWelcome(answer) && clock.monotonic() < endMs) {
    await new Promise<void>((resolve) => void clock.setTimer(STEP_MS, resolve))
    if (generation() === seen) continue
    seen = generation()
    answer = look()
  }
  return answer
}
