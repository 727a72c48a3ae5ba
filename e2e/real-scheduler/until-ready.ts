import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until /readyz of a program answers 200.
 *
 * @param health - HOST:PORT of the health server.
 * @throws Error after `limitMs`.
 */
export async function untilReady(health: string, limitMs = 60_000): Promise<void> {
  const deadlineMs = performance.now() + limitMs
  while (performance.now() < deadlineMs) {
    const response = await fetch(`http://${health}/readyz`).catch(() => undefined)
    if (response?.status === 200) return
    await pause(50)
  }
  throw new Error(`the program at ${health} is not ready within ${limitMs / 1000} s`)
}
