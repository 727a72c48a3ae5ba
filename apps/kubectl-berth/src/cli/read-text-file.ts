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
    throw new CommandError(`read ${file}: ${isTooLong(cause) ? 'it is larger than 512 MiB' : errorText(cause)}`, {
      code: 'BERTH_KUBECTL_FILE',
      cause,
      hint: 'Name a readable file, or - for standard input.',
    })
  }
}

/** Whether the error says that V8 has no string of this length. */
function isTooLong(error: unknown): boolean {
  const { code, message } = error as Partial<NodeJS.ErrnoException>
  return code === 'ERR_STRING_TOO_LONG' || code === 'ERR_FS_FILE_TOO_LARGE' || message === 'Invalid string length'
}
