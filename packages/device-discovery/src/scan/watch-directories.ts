import { pause } from '@berth/clock'
import type { Clock, Logger } from '@berth/types'
import { watch, type FSWatcher } from 'node:fs'

/** Delay after the first change, because changes come in bursts. */
const DEBOUNCE_MS = 50

/** Watches directories, so that a loop can wait for a change or for a time, whichever comes first. */
export interface DirectoryWatcher extends Disposable {
  /** Replaces the watched directories. Missing ones are skipped. Changes until now count as seen. */
  watch(directories: readonly string[]): void
  /** Acts as if a directory had changed. */
  notify(): void
  /** Waits until a change since {@link watch}, or for `waitMs`, or until the signal aborts. */
  wait(waitMs: number, signal: AbortSignal): Promise<void>
}

/** Creates a watcher without directories. */
export function createDirectoryWatcher({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Logger
}): DirectoryWatcher {
  const watchers = new Map<string, FSWatcher>()
  let change = new AbortController()
  const notify = (): void => change.abort()

  function add(directory: string): void {
    try {
      const watcher = watch(directory, notify)
      // The directory was deleted, or inotify has no instances left. The caller still looks at intervals.
      watcher.on('error', () => {
        watcher.close()
        watchers.delete(directory)
      })
      watchers.set(directory, watcher)
    } catch (error) {
      log.debug({ err: error, dir: directory }, 'Could not watch a directory')
    }
  }

  return {
    watch(directories) {
      change = new AbortController()
      const wanted = new Set(directories)
      for (const [directory, watcher] of watchers) {
        if (wanted.has(directory)) continue
        watcher.close()
        watchers.delete(directory)
      }
      for (const directory of wanted) if (!watchers.has(directory)) add(directory)
    },
    notify,
    async wait(waitMs, signal) {
      const changed = change.signal
      if (!changed.aborted) await pause(clock, waitMs, AbortSignal.any([changed, signal]))
      if (changed.aborted && !signal.aborted) await pause(clock, DEBOUNCE_MS, signal)
    },
    [Symbol.dispose]() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
