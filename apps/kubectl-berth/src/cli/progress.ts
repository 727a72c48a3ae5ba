import type { Terminal } from './terminal.ts'

/** Nothing is said of work that ends within this time. */
const QUIET_MS = 2_000

/** Runs a piece of work; when it takes longer than two seconds, says on standard error what is being waited for. */
export async function withProgress<T>(terminal: Terminal, doing: string, work: () => Promise<T>): Promise<T> {
  const timer = terminal.clock.setTimer(QUIET_MS, () => terminal.note(`${doing} …\n`))
  try {
    return await work()
  } finally {
    timer.cancel()
  }
}
