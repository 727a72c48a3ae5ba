import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Clock, Logger, Timer } from '@berth/types'

/** A writer is given this long to finish, milliseconds. */
const QUIET_MS = 200
/** The file is also read this often: not every file system tells of changes. */
const POLL_MS = 15_000

/**
 * Calls `onChange` when the file's text is another one. The directory is watched, not the file: a mounted ConfigMap
 * is replaced by swapping a link, and editors replace files too. Nothing is called while the file cannot be read.
 */
export async function watchConfigFile(
  path: string,
  options: { readonly onChange: () => void; readonly clock: Clock; readonly log: Logger },
): Promise<Disposable> {
  const { onChange, clock, log } = options
  const read = (): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
  let known = await read()
  let timer: Timer | undefined
  let isDisposed = false

  async function look(): Promise<void> {
    const text = await read()
    if (isDisposed) return
    lookAfter(POLL_MS)
    if (text === undefined || text === known) return
    known = text
    onChange()
  }

  function lookAfter(delayMs: number): void {
    timer?.cancel()
    timer = clock.setTimer(delayMs, () => void look())
  }

  const watcher = watch(dirname(path), { persistent: false }, () => lookAfter(QUIET_MS))
  // Polling goes on.
  watcher.on('error', (err) => log.warn({ err, file: basename(path) }, 'Cannot watch the configuration; polling it'))
  lookAfter(POLL_MS)
  return {
    [Symbol.dispose]() {
      isDisposed = true
      timer?.cancel()
      watcher.close()
    },
  }
}
