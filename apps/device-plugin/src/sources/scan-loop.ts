import type { Clock, Device, Logger } from '@berth/types'
import { watch, type FSWatcher } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { wait } from '../wait.ts'

/** What a scanning source is made of. */
export interface ScanLoopOptions {
  readonly scan: () => Promise<readonly Device[]>
  /** Directories whose changes are worth a scan; asked again after each scan, missing ones are skipped. */
  readonly watchedDirectories: () => readonly string[]
  readonly rescanMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** Changes come in bursts: a scan waits so long after the first of them. */
const DEBOUNCE_MS = 50

/**
 * Yields the first scan, and every later one that differs: after a change in a watched directory, and every
 * `rescanMs` whatever the notifications say. Ends when the signal aborts.
 *
 * @yields complete inventories
 */
export async function* scanLoop(options: ScanLoopOptions, signal: AbortSignal): AsyncIterable<readonly Device[]> {
  const { scan, watchedDirectories: watched, rescanMs, clock, log } = options
  const watchers = new Map<string, FSWatcher>()
  let wake = (): void => {}
  let isDirty = false
  const onChange = (): void => {
    isDirty = true
    wake()
  }

  function updateWatchers(): void {
    const directories = new Set(watched())
    for (const [dir, watcher] of watchers) {
      if (directories.has(dir)) continue
      watcher.close()
      watchers.delete(dir)
    }
    for (const dir of directories) {
      if (watchers.has(dir)) continue
      try {
        const watcher = watch(dir, onChange)
        // A directory that goes, or no inotify instance left: the regular scan goes on.
        watcher.on('error', () => {
          watcher.close()
          watchers.delete(dir)
        })
        watchers.set(dir, watcher)
      } catch (error) {
        log.debug({ err: error, dir }, 'Directory cannot be watched')
      }
    }
  }

  let last: readonly Device[] | undefined
  try {
    while (!signal.aborted) {
      isDirty = false
      updateWatchers()
      const found = await scan()
      if (last === undefined || !isDeepStrictEqual(found, last)) yield found
      last = found
      if (!isDirty) {
        await wait(clock, rescanMs, signal, (wakeUp) => {
          wake = wakeUp
        })
      }
      if (isDirty && !signal.aborted) {
        isDirty = false
        await wait(clock, DEBOUNCE_MS, signal)
      }
    }
  } finally {
    for (const watcher of watchers.values()) watcher.close()
  }
}
