import { open, type FileHandle } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { errorText } from '@berth/text/error-text'
import type { Clock } from '@berth/types'
import { CommandError } from '../../errors.ts'
import type { ObservedChange } from '../cluster/observed-change.ts'
import { recordedLine } from './recorded-line.ts'

/** A recording that grows. Disposing waits until everything is written. */
export interface OpenRecording extends AsyncDisposable {
  write(change: ObservedChange): void
}

/** Bytes that wait for a slow disk. The recording ends when there are more. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Options of {@link openRecording}. */
export interface RecordingOptions {
  readonly clock: Clock
  /** The recording ends before the file would be larger. */
  readonly maxBytes: number
  /** Called once when the recording ends early, with the reason. */
  readonly report: (reason: string) => void
}

/**
 * Begins a recording in a file that only its owner may read.
 *
 * @throws CommandError BERTH_KUBECTL_FILE when the file exists or cannot be written.
 */
export async function openRecording(
  file: string,
  { clock, maxBytes, report }: RecordingOptions,
): Promise<OpenRecording> {
  let handle: FileHandle
  try {
    handle = await open(file, 'wx', 0o600)
  } catch (cause) {
    throw new CommandError(`write the recording ${file}: ${errorText(cause)}`, {
      code: 'BERTH_KUBECTL_FILE',
      cause,
      hint: 'Choose a new file in an existing, writable directory.',
    })
  }
  const stream = handle.createWriteStream()
  let number = 0
  let writtenBytes = 0
  let isEnded = false
  const end = (reason: string): void => {
    if (isEnded) return
    isEnded = true
    report(reason)
  }
  stream.on('error', (error) => end(errorText(error)))
  return {
    write(change) {
      if (isEnded) return
      if (stream.writableLength > MAX_WAITING_BYTES) return end('the disk is too slow')
      const line = Buffer.from(recordedLine(change, clock.now(), ++number))
      if (writtenBytes + line.length > maxBytes)
        return end(`${file} has reached its limit of ${mebibytes(maxBytes)} MiB`)
      writtenBytes += line.length
      stream.write(line)
    },
    async [Symbol.asyncDispose]() {
      stream.end()
      // A failure was reported.
      await finished(stream).catch(() => undefined)
    },
  }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}
