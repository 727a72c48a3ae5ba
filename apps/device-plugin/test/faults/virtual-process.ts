import type { Clock } from '@berth/types'

/** A process in virtual time. After {@link VirtualProcess.kill} none of its timers runs, and its calls never return. */
export interface VirtualProcess {
  readonly clock: Clock
  isAlive(): boolean
  kill(): void
  /** Calls the listener when the process is killed. The return value removes it. */
  onKill(listener: () => void): () => void
}

/** Starts a process. */
export function createVirtualProcess(clock: Clock): VirtualProcess {
  const listeners = new Set<() => void>()
  let isAlive = true
  return {
    clock: {
      ...clock,
      setTimer: (delayMs, task) =>
        clock.setTimer(delayMs, () => {
          if (isAlive) task()
        }),
    },
    isAlive: () => isAlive,
    kill() {
      isAlive = false
      for (const listener of listeners) listener()
    },
    onKill(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
