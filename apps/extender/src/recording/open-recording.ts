import { closeSync, createWriteStream, openSync } from 'node:fs'
import { ConfigError } from '@berth/process/errors'
import { errorText } from '@berth/text/error-text'
import type { Logger } from '@berth/types'

/**
 * Replaces the file, which only this user may read, and returns a function that appends to it.
 *
 * @throws ConfigError BERTH_EXTENDER_CONFIG_RECORD when the file cannot be written.
 */
export function openRecording(file: string, log: Logger): (text: string) => void {
  try {
    closeSync(openSync(file, 'w', 0o600))
  } catch (error) {
    throw new ConfigError(`configure record: ${errorText(error)}`, {
      code: 'BERTH_EXTENDER_CONFIG_RECORD',
      hint: 'Name a file in a directory that the extender may write to.',
    })
  }
  const stream = createWriteStream(file, { flags: 'a' })
  stream.on('error', (err) => log.error({ err }, 'Stopped recording: the file cannot be written'))
  return (text) => {
    if (stream.writable) stream.write(text)
  }
}
