import type { Clock, Timer } from '@berth/types'
import { watch, type FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Poll interval. File system notifications only make the detection faster. */
const POLL_MS = 1000

/**
 * Returns an identity that differs for two socket files at the same path. It includes the change time, because inode
 * numbers are reused.
 *
 * @returns undefined when the file does not exist
 */
export async function socketIdentity(path: string): Promise<string | undefined> {
  try {
    const { ino, ctimeNs } = await stat(path, { bigint: true })
    return `${ino}/${ctimeNs}`
  } catch {
    return undefined
  }
}

/** Calls `onChange` when the file at a path appears, disappears or is replaced, until disposed. */
export function watchSocket(options: {
  readonly path: string
  /** Identity that the caller has seen. A different file is reported as a change. */
  readonly known: string | undefined
  readonly onChange: (identity: string | undefined) => void
  readonly clock: Clock
}): Disposable {
  const { path, onChange, clock } = options
  let { known } = options
  let watcher: FSWatcher | undefined
  let timer: Timer | undefined
  let isDisposed = false
  let isComparing = false

  async function compare(): Promise<void> {
    if (isDisposed || isComparing) return
    isComparing = true
    const identity = await socketIdentity(path)
    isComparing = false
    if (isDisposed || identity === known) return
    known = identity
    onChange(identity)
  }
  function poll(): void {
    timer = clock.setTimer(POLL_MS, () => {
      void compare()
      poll()
    })
  }
  try {
    watcher = watch(dirname(path), () => void compare())
    // inotify has no instances left, or the directory was replaced. Polling continues.
    watcher.on('error', () => watcher?.close())
  } catch {
    watcher = undefined
  }
  poll()
  void compare()
  return {
    [Symbol.dispose]() {
      isDisposed = true
      timer?.cancel()
      watcher?.close()
    },
  }
}
