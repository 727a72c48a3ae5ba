import { pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { Terminal } from './terminal.ts'

/** Time between two reads of a watching command, as `watch` has it. */
const INTERVAL_MS = 2_000

/** Output of a command: the answer, and hints for standard error. */
export interface CommandOutput {
  readonly text: string
  readonly notes: string
}

/**
 * Prints an output, and again whenever it has changed, until the signal aborts. A terminal is cleared first; other outputs
 * get the versions one after the other. A read that fails after the first is reported once and repeated.
 *
 * @throws what the first read throws.
 */
export async function watchOutput(
  terminal: Terminal,
  stop: AbortSignal,
  read: () => Promise<CommandOutput>,
): Promise<void> {
  let last: CommandOutput | undefined
  let failure: string | undefined
  while (!stop.aborted) {
    try {
      const output = await read()
      if (output.text !== last?.text || failure !== undefined) print(terminal, output)
      last = output
      failure = undefined
    } catch (error) {
      if (last === undefined || stop.aborted) throw error
      const text = errorText(error)
      if (text !== failure) terminal.note(`${text}; trying again\n`)
      failure = text
    }
    await pause(terminal.clock, INTERVAL_MS, stop)
  }
}

function print(terminal: Terminal, { text, notes }: CommandOutput): void {
  terminal.clear()
  terminal.out(text)
  terminal.note(notes)
}
