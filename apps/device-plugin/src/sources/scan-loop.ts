import { pause } from '@berth/clock'
import type { Clock, Device, Logger } from '@berth/types'
import { watch, type FSWatcher } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { withDeadline } from '../with-deadline.ts'

/** Result of one scan. */
export interface ScanResult<Found extends Device = Device> {
  readonly devices: readonly Found[]
  /** Why the scan is incomplete. */
  readonly failure?: Error
}

/** Dependencies of {@link scanLoop}. */
export interface ScanLoopOptions {
  readonly scan: () => Promise<ScanResult>
  /** Returns the directories whose changes start a scan. Called before each scan; missing directories are skipped. */
  readonly watchedDirectories: () => readonly string[]
  readonly rescanMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** Delay of a scan after the first change, because changes come in bursts. */
const DEBOUNCE_MS = 50
/** Timeout for a scan: a file system or driver may not answer. */
const SCAN_TIMEOUT_MS = 10_000

/**
 * Scans at the start, after a change in a watched directory, and every `rescanMs`. Yields the first inventory and each
 * one that differs from the previous one. Ends when the signal aborts.
 *
 * @yields Complete inventories.
 * @throws The failure of an incomplete scan, after its devices were yielded; an error when a scan takes too long.
 */
export async function* scanLoop(options: ScanLoopOptions, signal: AbortSignal): AsyncIterable<readonly Device[]> {
  const { scan, watchedDirectories: watched, rescanMs, clock, log } = options
  const watchers = new Map<string, FSWatcher>()
  let change = new AbortController()
  let isDirty = false
  const onChange = (): void => {
    isDirty = true
    change.abort()
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
        // The directory was deleted, or inotify has no instances left. The periodic scan continues.
        watcher.on('error', () => {
          watcher.close()
          watchers.delete(dir)
        })
        watchers.set(dir, watcher)
      } catch (error) {
        log.debug({ err: error, dir }, 'Could not watch a directory')
      }
    }
  }

  let last: readonly Device[] | undefined
  try {
    while (!signal.aborted) {
      isDirty = false
      updateWatchers()
      const { devices, failure } = await withDeadline({ clock, deadlineMs: SCAN_TIMEOUT_MS }, scan)
      if (last === undefined || !isDeepStrictEqual(devices, last)) yield devices
      last = devices
      // The device plugin shows the failure, and starts another loop.
      if (failure !== undefined) throw failure
      if (!isDirty) {
        change = new AbortController()
        await pause(clock, rescanMs, AbortSignal.any([change.signal, signal]))
      }
      if (isDirty && !signal.aborted) {
        isDirty = false
        await pause(clock, DEBOUNCE_MS, signal)
      }
    }
  } finally {
    for (const watcher of watchers.values()) watcher.close()
  }
}
