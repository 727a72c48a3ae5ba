import type { Clock } from '@berth/types'

/** A process in virtual time. After {@link VirtualProcess.kill} none of its timers runs, and its calls never return. */
export interface VirtualProcess {
  readonly clock: Clock
  isAlive(): boolean
  kill(): void
  /** Calls the listener when the process is killed. The return value removes it. */
  onKill(listener: () => void): () => void
}

/**
 * Starts a process.
 *
 * @param wallOffsetMs - Returns how far the wall clock of its machine is ahead. Default: 0.
 */
export function createVirtualProcess(clock: Clock, wallOffsetMs: () => number = () => 0): VirtualProcess {
  const listeners = new Set<() => void>()
  let isAlive = true
  return {
    clock: {
      now: () => clock.now() + wallOffsetMs(),
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs, task) =>
        clock.setTimer(delayMs, () => {
          if (isAlive) task()
        }),
    },
    isAlive: () => isAlive,
    kill() {
      if (!isAlive) return
      isAlive = false
      for (const listener of listeners) listener()
    },
    onKill(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
