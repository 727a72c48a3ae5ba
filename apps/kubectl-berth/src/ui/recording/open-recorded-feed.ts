import { AuditLineError } from '@berth/types'
import { readLines } from '../../cli/read-lines.ts'
import type { Terminal } from '../../cli/terminal.ts'
import { CommandError } from '../../errors.ts'
import type { UiFeed } from '../feed.ts'
import { readRecording } from './read-recording.ts'
import { recordedFeed } from './recorded-feed.ts'

/**
 * Reads a recording, which may be larger than a string can be.
 *
 * @throws CommandError BERTH_KUBECTL_FILE when the file cannot be read, is not an audit log, or holds no nodes and pods.
 */
export async function openRecordedFeed(file: string, terminal: Pick<Terminal, 'readChunks'>): Promise<UiFeed> {
  const refuse = (reason: string): CommandError =>
    new CommandError(`read the recording ${file}: ${reason}`, {
      code: 'BERTH_KUBECTL_FILE',
      hint: 'Write one with kubectl berth ui --record FILE, or use an audit log of level RequestResponse.',
    })
  try {
    const feed = recordedFeed(await readRecording(readLines(terminal, file)))
    if (feed === undefined) throw refuse('it has no writes of nodes and pods')
    return feed
  } catch (error) {
    if (error instanceof AuditLineError) throw refuse(error.message)
    throw error
  }
}
