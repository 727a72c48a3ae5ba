import { errorText } from '@berth/text/error-text'
import { CommandError } from '../errors.ts'
import type { Terminal } from './terminal.ts'

/**
 * Reads the lines of a file that may be too large for a string, or of standard input for `-`.
 *
 * @yields Each line, without its end.
 * @throws CommandError BERTH_KUBECTL_FILE when the file cannot be read.
 */
export async function* readLines(terminal: Pick<Terminal, 'readChunks'>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of terminal.readChunks(file)) {
      const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (cause) {
    throw new CommandError(`read ${file}: ${errorText(cause)}`, {
      code: 'BERTH_KUBECTL_FILE',
      cause,
      hint: 'Name a readable file, or - for standard input.',
    })
  }
  if (rest !== '') yield rest
}
