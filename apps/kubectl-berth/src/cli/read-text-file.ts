import { errorText } from '@berth/text/error-text'
import { CommandError } from '../errors.ts'
import type { Terminal } from './terminal.ts'

/**
 * Reads a file, or standard input for `-`.
 *
 * @throws CommandError BERTH_KUBECTL_FILE when the file cannot be read.
 */
export async function readTextFile(terminal: Pick<Terminal, 'readFile'>, file: string): Promise<string> {
  try {
    return await terminal.readFile(file)
  } catch (cause) {
    throw new CommandError(`read ${file}: ${errorText(cause)}`, {
      code: 'BERTH_KUBECTL_FILE',
      cause,
      hint: 'Name a readable file, or - for standard input.',
    })
  }
}
