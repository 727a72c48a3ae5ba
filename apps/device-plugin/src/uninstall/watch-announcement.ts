import { jitter, pause } from '@berth/clock'
import type { Clock, Random } from '@berth/types'
import { readFile } from 'node:fs/promises'

const POLL_INTERVAL_MS = 1_000
const POLL_JITTER = 0.1

/**
 * Reads the file in which the kubelet shows an annotation of the pod: the time until which an uninstall is announced.
 *
 * @returns Whether that time is in the future. False if there is no announcement.
 */
export async function isUninstallAnnounced(file: string, nowMs: number): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return Date.parse(text.trim()) > nowMs
}

/** Calls `onChange` when an uninstall is announced, and when its time has passed, until the signal aborts. */
export async function watchAnnouncement(options: {
  readonly file: string
  readonly clock: Clock
  readonly random: Random
  readonly onChange: (isAnnounced: boolean) => void
  readonly signal: AbortSignal
}): Promise<void> {
  const { file, clock, random, onChange, signal } = options
  let last = false
  while (!signal.aborted) {
    const isAnnounced = await isUninstallAnnounced(file, clock.now())
    if (isAnnounced !== last && !signal.aborted) onChange(isAnnounced)
    last = isAnnounced
    await pause(clock, jitter(POLL_INTERVAL_MS, POLL_JITTER, random), signal)
  }
}
