import type { Terminal } from './terminal.ts'

/** Work that ends within this time prints no progress. */
const QUIET_MS = 2_000

/** Runs some work. Prints what it is doing to standard error when it takes longer than two seconds. */
export async function withProgress<T>(terminal: Terminal, doing: string, work: () => Promise<T>): Promise<T> {
  const timer = terminal.clock.setTimer(QUIET_MS, () => terminal.note(`${doing} …\n`))
  try {
    return await work()
  } finally {
    timer.cancel()
  }
}
