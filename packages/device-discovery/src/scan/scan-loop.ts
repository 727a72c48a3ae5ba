import type { Clock, Device, Logger } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import { createDirectoryWatcher } from './watch-directories.ts'
import { withDeadline } from '@berth/clock'

/** Result of one scan. */
export interface ScanResult<Found extends Device = Device> {
  readonly devices: readonly Found[]
  /** Why the scan is incomplete. */
  readonly failure?: Error
}

/** Dependencies of {@link createScanLoop}. */
export interface ScanLoopOptions {
  readonly scan: () => Promise<ScanResult>
  /**
   * Returns the directories whose changes start a scan, also when they appear. Called before and after each scan, which
   * may find further ones.
   */
  readonly watchedDirectories: () => readonly string[]
  readonly rescanMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** Timeout for a scan: a file system or driver may not answer. */
export const SCAN_TIMEOUT_MS = 10_000

/**
 * Creates `discover` of a source. It scans at the start, after a change in a watched directory, and every `rescanMs`.
 * It yields the first inventory and each one that differs from the previous one, and ends when the signal aborts. It
 * throws the failure of an incomplete scan after yielding its devices, and an error when a scan takes longer than
 * {@link SCAN_TIMEOUT_MS}.
 *
 * All loops of one source share a scan: after a timeout, the next loop waits for the scan that is still running. A file
 * that does not answer blocks a thread of libuv's pool, which serves all files of the process, so a second scan could
 * block the next one.
 */
export function createScanLoop(options: ScanLoopOptions): (signal: AbortSignal) => AsyncIterable<readonly Device[]> {
  let running: Promise<ScanResult> | undefined
  const scan = (): Promise<ScanResult> =>
    (running ??= options.scan().finally(() => {
      running = undefined
    }))
  return (signal) => scanLoop({ ...options, scan }, signal)
}

async function* scanLoop(options: ScanLoopOptions, signal: AbortSignal): AsyncIterable<readonly Device[]> {
  const { scan, watchedDirectories: watched, rescanMs, clock, log } = options
  using changes = createDirectoryWatcher({ clock, log })
  let last: readonly Device[] | undefined
  while (!signal.aborted) {
    const directories = new Set(watched())
    changes.watch([...directories])
    const { devices, failure } = await withDeadline({ clock, deadlineMs: SCAN_TIMEOUT_MS }, scan)
    if (last === undefined || !isDeepStrictEqual(devices, last)) yield devices
    last = devices
    // The caller, the device plugin, reports the failure and calls `discover` again.
    if (failure !== undefined) throw failure
    // A directory that this scan found was not watched during it, so it may have changed.
    if (watched().every((directory) => directories.has(directory))) await changes.wait(rescanMs, signal)
  }
}
