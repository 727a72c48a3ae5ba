import { setImmediate as nextTurn } from 'node:timers/promises'

/** Divides long work into slices, between which the event loop runs other tasks. */
export interface TurnBudget {
  /** Counts work. Once a slice is full, waits for the next turn of the event loop. */
  spend(units: number): Promise<void> | undefined
}

/**
 * Creates a budget that measures work by amount instead of time, so that it behaves the same under virtual time.
 *
 * @param sliceUnits - Work per turn, in units that the caller chooses.
 */
export function createTurnBudget(sliceUnits: number): TurnBudget {
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
