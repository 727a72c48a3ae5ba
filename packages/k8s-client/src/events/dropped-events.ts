import type { Clock, Event, Logger, Timer } from '@berth/types'

/**
 * Why an event was not written.
 *
 * - `rejected`: the API server refused it, or failed to write it a dozen times.
 * - `queue-full`: too many events waited while the API server did not accept events.
 * - `replaced`: a newer event about the same object made it obsolete (`latest` events only).
 * - `not-leading`: its `mayStart` returned false.
 * - `shutdown`: the recorder was closed before it could be written.
 * - `invalid`: it could not be recorded.
 */
export type EventDropCause = 'rejected' | 'queue-full' | 'replaced' | 'not-leading' | 'shutdown' | 'invalid'

/** Observes what happens to recorded events. */
export interface EventObserver {
  /** An event was created, or the count of its series was updated. */
  written(reason: string): void
  dropped(reason: string, cause: EventDropCause): void
}

/** Counts and logs events that were not written. */
export interface DroppedEvents {
  /** Number of dropped events, without replaced ones. */
  readonly count: number
  add(event: Pick<Event, 'reason' | 'regarding'> | undefined, cause: EventDropCause, error?: unknown): void
  /** Writes the log lines that are due later. */
  flush(): void
}

/** Further drops within this time after a log line share the next line. */
const LOG_INTERVAL_MS = 10_000

interface Unlogged {
  readonly fields: { readonly reason: string; readonly cause: EventDropCause }
  timer: Timer
  count: number
  example: { readonly object: string; readonly err?: unknown } | undefined
}

/** Creates an empty count. Each drop is logged, with at most one line per reason and cause in ten seconds. */
export function createDroppedEvents(options: {
  readonly clock: Clock
  readonly log: Logger
  readonly observer?: EventObserver | undefined
}): DroppedEvents {
  const { clock, log, observer } = options
  const unlogged = new Map<string, Unlogged>()
  let count = 0

  const write = (entry: Unlogged): void => {
    if (entry.count === 0) return
    // A replaced event is obsolete: nothing was lost.
    const level = entry.fields.cause === 'replaced' ? 'debug' : 'warn'
    log[level]({ ...entry.fields, count: entry.count, ...entry.example }, 'Events were not written')
    entry.count = 0
    entry.example = undefined
  }
  const startTimer = (key: string): Timer =>
    clock.setTimer(LOG_INTERVAL_MS, () => {
      const entry = unlogged.get(key)
      if (entry === undefined) return
      if (entry.count === 0) {
        unlogged.delete(key)
        return
      }
      write(entry)
      entry.timer = startTimer(key)
    })

  return {
    get count() {
      return count
    },
    add(event, cause, error) {
      const reason = event?.reason ?? ''
      if (cause !== 'replaced') count += 1
      observer?.dropped(reason, cause)
      const key = `${cause}/${reason}`
      const known = unlogged.get(key)
      const entry = known ?? { fields: { reason, cause }, timer: startTimer(key), count: 0, example: undefined }
      unlogged.set(key, entry)
      entry.count += 1
      const { namespace = '', name = '' } = event?.regarding ?? {}
      entry.example ??= { object: `${namespace}/${name}`, ...(error !== undefined && { err: error }) }
      if (known === undefined) write(entry)
    },
    flush() {
      for (const entry of unlogged.values()) {
        entry.timer.cancel()
        write(entry)
      }
      unlogged.clear()
    },
  }
}
