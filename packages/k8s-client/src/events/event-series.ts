import type { Clock, Event, Timer } from '@berth/types'
import { createHash } from 'node:crypto'
import { isApiStatus } from '../errors/api-error.ts'
import { microTime } from '../api-conventions/micro-time.ts'
import type { RateLimit } from '../calls/rate-limit.ts'
import type { DroppedEvents } from './dropped-events.ts'
import type { EventWriter } from './event-writer.ts'
import { type EventInput, type EventStamp, eventSubject, makeEvent } from './make-event.ts'
import { createWriteLane } from './write-lane.ts'

/** Repeats within this time belong to one series; upstream's value. */
const SERIES_WINDOW_MS = 6 * 60_000
/** Minimum time between two writes of a series. */
const SERIES_WRITE_INTERVAL_MS = 30_000
/** Series that are remembered. A repeat of a forgotten one makes a new event. */
const MAX_SERIES = 10_000
/** Objects whose latest event waits to be written. */
const MAX_QUEUED = 10_000
const MAX_IN_FLIGHT = 8

/** Events of which only the latest about an object matters. Repeats become a series. */
export interface EventSeries {
  add(input: EventInput, stamp: EventStamp): void
  waiting(): number
  /** Waits until the latest event of every object, and every repeat, is written. */
  drain(): Promise<void>
  /** Counts the events that are left as dropped. */
  close(): void
}

interface Series {
  /** Identifies the series and its note. A digest, because thousands of series are remembered. */
  readonly key: string
  /** Of its first event. */
  readonly stamp: EventStamp
  /** The latest occurrence. Defined while there is something to write, so that a written series takes little memory. */
  latest: Occurrence | undefined
  count: number
  lastObservedMs: number
  writtenCount: number
  writtenAtMs: number
  isWriting: boolean
  /** Will queue the next write; must not keep an ending process alive. */
  timer: Timer | undefined
}

interface Occurrence {
  readonly input: EventInput
  readonly subject: string
}

/**
 * Creates an empty set of series. A repeat with the same note within six minutes raises the count of its series instead
 * of making a new event. The second occurrence is written at once, so that the series is visible; later ones together,
 * at most every 30 seconds.
 */
export function createEventSeries(options: {
  readonly writer: EventWriter
  readonly dropped: DroppedEvents
  /** Limits the rate of all writes. */
  readonly limit: RateLimit
  readonly clock: Clock
  readonly signal: AbortSignal
}): EventSeries {
  const { writer, dropped, limit, clock, signal } = options
  const seriesByKey = new Map<string, Series>()
  /** The next series to write about each subject, in order of arrival. A newer series takes the place of an older one. */
  const queue = new Map<string, Series>()

  const lane = createWriteLane<Series>({
    maxInFlight: MAX_IN_FLIGHT,
    queue: {
      size: () => queue.size,
      take() {
        const next = queue.values().next()
        if (next.done === true) return undefined
        queue.delete(subjectOf(next.value))
        return next.value
      },
      putBack(series) {
        if (queue.has(subjectOf(series))) giveUp(series, 'replaced')
        else queue.set(subjectOf(series), series)
      },
    },
    admit: (laneSignal) => limit.acquire('normal', laneSignal),
    write,
    onGivenUp: giveUp,
    signal,
    clock,
  })

  const enqueue = (series: Series): void => {
    if (series.isWriting || signal.aborted) return
    const subject = subjectOf(series)
    const replaced = queue.get(subject)
    if (replaced === undefined && queue.size >= MAX_QUEUED) {
      giveUp(series, 'queue-full')
      return
    }
    queue.set(subject, series)
    if (replaced !== undefined && replaced !== series) giveUp(replaced, 'replaced')
    lane.wake()
  }

  function giveUp(series: Series, cause: Parameters<DroppedEvents['add']>[1], error?: unknown): void {
    // A series without an event on the server must begin with one. A newer series may have taken its key after the window.
    if (series.writtenCount === 0 && seriesByKey.get(series.key) === series) seriesByKey.delete(series.key)
    dropped.add(eventOf(series), cause, error)
  }

  async function write(series: Series): Promise<void> {
    series.isWriting = true
    try {
      await writeOnce(series)
    } finally {
      series.isWriting = false
    }
    if (series.count === series.writtenCount) series.latest = undefined
    scheduleWrite(series)
  }

  async function writeOnce(series: Series): Promise<void> {
    const event = eventOf(series)
    if (event === undefined) return
    const mayStart = series.latest?.input.mayStart
    const count = series.writtenCount === 0 ? 1 : series.count
    const startMs = clock.monotonic()
    if (series.writtenCount === 0) {
      await writer.create(event, mayStart, 'low')
    } else {
      const agoMs = startMs - series.lastObservedMs
      const body = { series: { count, lastObservedTime: microTime(clock.now() - agoMs) } }
      try {
        await writer.patch(event, body, mayStart)
      } catch (error) {
        if (!isApiStatus(error, 404)) throw error
        // The event has expired on the server: the series continues in a new one.
        await writer.create({ ...event, ...body }, mayStart, 'low')
      }
    }
    series.writtenCount = count
    series.writtenAtMs = startMs
  }

  function scheduleWrite(series: Series): void {
    const isDue = series.count > series.writtenCount && !series.isWriting && series.timer === undefined
    // A newer event about the same object is more important than the count of an older one.
    if (!isDue || signal.aborted || queue.has(subjectOf(series))) return
    const waitMs = series.writtenCount < 2 ? 0 : series.writtenAtMs + SERIES_WRITE_INTERVAL_MS - clock.monotonic()
    if (waitMs <= 0) {
      enqueue(series)
      return
    }
    series.timer = clock.setTimer(waitMs, () => {
      series.timer = undefined
      scheduleWrite(series)
    })
  }

  const remember = (series: Series): void => {
    seriesByKey.delete(series.key)
    seriesByKey.set(series.key, series)
    const oldest = seriesByKey.size > MAX_SERIES ? seriesByKey.values().next() : undefined
    if (oldest?.done !== false) return
    oldest.value.timer?.cancel()
    seriesByKey.delete(oldest.value.key)
  }

  return {
    add(input, stamp) {
      const subject = eventSubject(input)
      const key = createHash('sha1').update(subject).update(input.note).digest('base64')
      const nowMs = clock.monotonic()
      const known = seriesByKey.get(key)
      if (known !== undefined && nowMs - known.lastObservedMs < SERIES_WINDOW_MS) {
        known.count += 1
        known.lastObservedMs = nowMs
        known.latest = { input, subject }
        remember(known)
        const newer = queue.get(subject)
        if (newer !== undefined && newer !== known) enqueue(known)
        else scheduleWrite(known)
        return
      }
      const series: Series = {
        key,
        stamp,
        latest: { input, subject },
        count: 1,
        lastObservedMs: nowMs,
        writtenCount: 0,
        writtenAtMs: nowMs,
        isWriting: false,
        timer: undefined,
      }
      known?.timer?.cancel()
      remember(series)
      enqueue(series)
    },
    waiting: () => queue.size,
    async drain() {
      do {
        for (const series of seriesByKey.values()) if (series.count > series.writtenCount) enqueue(series)
        await lane.idle()
      } while (queue.size > 0 && !signal.aborted)
    },
    close() {
      for (const series of seriesByKey.values()) series.timer?.cancel()
      for (const series of queue.values()) dropped.add(eventOf(series), 'shutdown')
      queue.clear()
    },
  }
}

function subjectOf({ latest }: Series): string {
  return latest?.subject ?? ''
}

/** Builds the event of a series, with the name and the time of its first occurrence. */
function eventOf({ latest, stamp }: Series): Event | undefined {
  return latest === undefined ? undefined : makeEvent(latest.input, stamp)
}
