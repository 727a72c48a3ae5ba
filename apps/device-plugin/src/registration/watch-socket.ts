import type { Clock, Timer } from '@berth/types'
import { watch, type FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Notifications are an accelerator; this is how long a change can stay unseen without them. */
const POLL_MS = 1000

/**
 * Tells one socket file from another at the same path. Inode numbers are used again, hence the time beside it.
 *
 * @returns undefined when there is none
 */
export async function socketIdentity(path: string): Promise<string | undefined> {
  try {
    const { ino, ctimeNs } = await stat(path, { bigint: true })
    return `${ino}/${ctimeNs}`
  } catch {
    return undefined
  }
}

/** Calls back whenever the file at a path is another one than before, or came, or went; until disposed. */
export function watchSocket(options: {
  readonly path: string
  /** What the caller knows; a difference to it is the first change. */
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
    // inotify runs out of instances, or the directory is replaced: the poll goes on.
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
