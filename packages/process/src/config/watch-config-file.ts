import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Clock, Logger, Timer } from '@berth/types'

/** Time for a writer to finish before the file is read, milliseconds. */
const SETTLE_MS = 200
/** Poll interval, milliseconds. Not every file system reports changes. */
const POLL_MS = 15_000

/**
 * Calls `onChange` when the file's text changed. Watches the directory instead of the file, because the kubelet updates
 * a mounted ConfigMap by swapping a symbolic link, and editors replace files too. An unreadable file is ignored.
 */
export async function watchConfigFile(
  path: string,
  options: { readonly onChange: () => void; readonly clock: Clock; readonly log: Logger },
): Promise<Disposable> {
  const { onChange, clock, log } = options
  const read = (): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
  let previous = await read()
  let timer: Timer | undefined
  let isDisposed = false

  async function compare(): Promise<void> {
    const text = await read()
    if (isDisposed) return
    scheduleCompare(POLL_MS)
    if (text === undefined || text === previous) return
    previous = text
    onChange()
  }

  function scheduleCompare(delayMs: number): void {
    timer?.cancel()
    timer = clock.setTimer(delayMs, () => void compare())
  }

  const watcher = watch(dirname(path), { persistent: false }, () => scheduleCompare(SETTLE_MS))
  watcher.on('error', (err) =>
    log.warn({ err, file: basename(path) }, 'Could not watch the configuration file; polling it instead'),
  )
  scheduleCompare(POLL_MS)
  return {
    [Symbol.dispose]() {
      isDisposed = true
      timer?.cancel()
      watcher.close()
    },
  }
}
