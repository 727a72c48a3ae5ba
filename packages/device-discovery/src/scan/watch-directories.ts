import { pause } from '@berth/clock'
import type { Clock, Logger } from '@berth/types'
import { existsSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Delay after the first change, because changes come in bursts. */
const DEBOUNCE_MS = 50

/** Watches directories, so that a loop can wait for a change or for a time, whichever comes first. */
export interface DirectoryWatcher extends Disposable {
  /**
   * Replaces the watched directories, and forgets the changes so far. The creation of a missing directory is a change:
   * udev creates `/dev/serial/by-id` with the first device and deletes it with the last.
   */
  watch(directories: readonly string[]): void
  /** Acts as if a directory had changed. */
  notify(): void
  /**
   * Waits for a change since the last {@link watch} and for the end of its burst, at most `waitMs`. Resolves also when
   * the signal aborts.
   */
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
  /** By wanted directory: the watcher of the directory itself, or of the nearest existing directory above it. */
  const watchers = new Map<string, FSWatcher>()
  let change = new AbortController()
  const notify = (): void => change.abort()

  function add(directory: string): void {
    try {
      let path = directory
      let awaited: string | undefined
      for (;;) {
        const watcher = open(directory, path, awaited)
        if (watcher !== undefined) {
          // The awaited directory may have been created before the watch.
          if (awaited === undefined || !existsSync(join(path, awaited))) {
            watchers.set(directory, watcher)
            return
          }
          watcher.close()
          path = directory
          awaited = undefined
        } else {
          awaited = basename(path)
          path = dirname(path)
        }
      }
    } catch (error) {
      log.debug({ err: error, dir: directory }, 'Could not watch a directory')
    }
  }

  /**
   * Watches `path`, which is the wanted directory or one above it that waits for the entry `awaited`.
   *
   * @returns Undefined if `path` does not exist.
   */
  function open(directory: string, path: string, awaited: string | undefined): FSWatcher | undefined {
    const endWatch = (watcher: FSWatcher): void => {
      watcher.close()
      if (watchers.get(directory) === watcher) watchers.delete(directory)
    }
    try {
      const watcher = watch(path, (event, name) => {
        if (awaited !== undefined && name !== null && name !== awaited) return
        // The awaited directory appeared, or the directory itself was deleted or moved. The next `watch` opens a new
        // watcher.
        if (awaited !== undefined || (event === 'rename' && name === basename(path))) endWatch(watcher)
        notify()
      })
      // For example, inotify has no instances left. The caller still scans at intervals.
      watcher.on('error', () => endWatch(watcher))
      return watcher
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      throw error
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
