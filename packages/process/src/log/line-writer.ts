import { writeSync } from 'node:fs'

/** Receives whole lines. */
export interface LineWriter {
  write(line: string): void
}

const RETRY_MS = 5

/**
 * Creates a writer that writes synchronously, so that the last line before an exit is not lost. It waits for the reader of
 * a full pipe. A line that cannot be written for another reason, such as a full disk, is lost, and the program goes on.
 *
 * @param fd - An open file descriptor.
 */
export function createLineWriter(fd: number): LineWriter {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  /** Whether the last line was cut off, so that the next one needs a line feed first. */
  let isCut = false
  return {
    write(line) {
      let rest: Uint8Array = Buffer.from(isCut ? `\n${line}` : line)
      const { length } = rest
      while (rest.length > 0) {
        try {
          rest = rest.subarray(writeSync(fd, rest))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
            Atomics.wait(pause, 0, 0, RETRY_MS)
            continue
          }
          isCut ||= rest.length < length
          return
        }
      }
      isCut = false
    },
  }
}
