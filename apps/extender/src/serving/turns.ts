import type { Clock } from '@berth/types'

/** Turns that are given one after another, with a gap between them. */
export interface Turns {
  /**
   * Waits for a turn. The first one after a pause is given at once.
   *
   * @param group - The groups alternate, whatever number of turns each of them waits for.
   * @param onLeave - Gets a function that ends the waiting without using a turn.
   */
  take(group: object, onLeave: (leave: () => void) => void): Promise<void>
}

/** Creates turns with a gap between them, milliseconds. */
export function createTurns(gapMs: number, clock: Clock): Turns {
  /** The waiting turns by group. The first group is the next one. */
  const waiting = new Map<object, Set<() => void>>()
  let isPausing = false

  const leave = (group: object, start: () => void): void => {
    const others = waiting.get(group)
    if (others?.delete(start) === true && others.size === 0) waiting.delete(group)
  }
  const giveNext = (): void => {
    const [group, starts] = waiting.entries().next().value ?? []
    const [start] = starts ?? []
    isPausing = start !== undefined
    if (group === undefined || starts === undefined || start === undefined) return
    waiting.delete(group)
    starts.delete(start)
    if (starts.size > 0) waiting.set(group, starts)
    clock.setTimer(gapMs, giveNext)
    start()
  }

  return {
    take: (group, onLeave) =>
      new Promise((resolve) => {
        const starts = waiting.get(group) ?? new Set()
        waiting.set(group, starts.add(resolve))
        onLeave(() => {
          leave(group, resolve)
          resolve()
        })
        if (!isPausing) giveNext()
      }),
  }
}
