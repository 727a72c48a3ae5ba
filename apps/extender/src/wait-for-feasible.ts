import type { Clock } from '@berth/types'

/** How often it is looked whether the cluster changed. */
const POLL_MS = 5

/** What {@link waitForFeasible} looks at. */
export interface WaitForFeasibleOptions<T> {
  /** The first answer, and what it would be now. */
  readonly evaluate: () => T
  /** Whether the answer may be given at once. */
  readonly isFeasible: (answer: T) => boolean
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
export async function waitForFeasible<T>(parts: WaitForFeasibleOptions<T>): Promise<T> {
  const { evaluate: look, isFeasible: isWelcome, generation, clock, limitMs } = parts
  const endMs = clock.monotonic() + limitMs
  let evaluated = generation()
  let answer = look()
  while (!isWelcome(answer) && clock.monotonic() < endMs) {
    await new Promise<void>((resolve) => void clock.setTimer(POLL_MS, resolve))
    if (generation() === evaluated) continue
    evaluated = generation()
    answer = look()
  }
  return answer
}
