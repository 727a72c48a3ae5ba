import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lets the event loop run others between slices of long work. */
export interface Turns {
  /** Counts work; once a slice is full, waits for the next turn of the event loop. */
  spend(units: number): Promise<void> | undefined
}

/**
 * Slices long work by amount, not by time, so that it runs alike under virtual time.
 *
 * @param sliceUnits - Work per turn, in whatever the caller counts.
 */
export function createTurns(sliceUnits: number): Turns {
  let spent = 0
  return {
    spend(units) {
      spent += units
      if (spent < sliceUnits) return undefined
      spent = 0
      return nextTurn()
    },
  }
}
