import type { Terminal } from '../cli/terminal.ts'

/** Runs a command that runs plugins. Reports a plugin that ends the process with status 0, and makes the status 1. */
export async function failOnEarlyExit(terminal: Pick<Terminal, 'note'>, run: () => Promise<void>): Promise<void> {
  const onExit = (status: number): void => {
    if (status !== 0) return
    terminal.note('Error: a plugin ended the process: remove process.exit from the plugin.\n')
    process.exitCode = 1
  }
  process.once('exit', onExit)
  try {
    await run()
  } finally {
    process.off('exit', onExit)
  }
}
