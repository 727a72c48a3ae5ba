import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from '@berth/e2e/real-api-server/server-process'

const LIMIT_MS = 300_000

/** Waits for the work of a program. Throws Error when the program exits, or after five minutes. */
export async function until(
  by: Pick<ServerProcess, 'exit' | 'lastLogLines'>,
  isDone: () => Promise<boolean> | boolean,
): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS
  while (!(await isDone())) {
    const end = by.exit()
    if (end !== undefined) throw new Error(`the program exited: ${end}: ${by.lastLogLines()}`)
    if (performance.now() > deadlineMs) throw new Error(`not done after ${LIMIT_MS} ms: ${by.lastLogLines()}`)
    await pause(500)
  }
}
