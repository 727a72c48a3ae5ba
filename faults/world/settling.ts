import { setImmediate as nextTurn } from 'node:timers/promises'

/** Turns of the event loop without any work after which everything has settled. */
const IDLE_TURNS = 3

/** Waits until the work that does not wait for time has ended. */
export interface Settling {
  /** Marks that something happened, so that more may follow. */
  mark(): void
  settle(): Promise<void>
}

/** Creates a wait that ends when nothing was marked for a few turns of the event loop. */
export function createSettling(): Settling {
  let marks = 0
  return {
    mark: () => void marks++,
    async settle() {
      for (let idle = 0; idle < IDLE_TURNS;) {
        const before = marks
        await nextTurn()
        idle = marks === before ? idle + 1 : 0
      }
    },
  }
}
