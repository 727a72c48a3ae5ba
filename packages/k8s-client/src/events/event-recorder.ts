import type { Clock, Event, Logger, Timer } from '@berth/types'
import { orAborted } from '../async/or-aborted.ts'
import type { ApiClient } from '../api-client/api-client.ts'
import { isApiStatus } from '../errors/api-error.ts'
import { microTime } from '../api-conventions/micro-time.ts'
import { eventKey, makeEvent, type EventInput } from './make-event.ts'
import { resourceRefs } from '../api-conventions/resource-ref.ts'

/** Repeats within this time belong to one series; upstream's value. */
const SERIES_WINDOW_MS = 6 * 60_000
/** Minimum time between two writes of a series. */
const SERIES_WRITE_INTERVAL_MS = 30_000
const MAX_QUEUE = 1_000
const MAX_SERIES = 4_096
/** As many as binds in flight: an event costs the API server as much as a bind, and fewer would fall behind. */
const MAX_IN_FLIGHT = 32
const FLUSH_MS = 5_000

/** Counts of an {@link EventRecorder} since its start. */
export interface EventRecorderStats {
  readonly created: number
  readonly seriesPatched: number
  /** Events that were not written: the queue was full, or the API server rejected them. */
  readonly dropped: number
}

/** Writes `events.k8s.io/v1` events in the background. */
export interface EventRecorder extends AsyncDisposable {
  /** Queues an event. Repeats within six minutes become a series. Never throws and never waits. */
  record(event: EventInput): void
  stats(): EventRecorderStats
}

/** The dependencies of {@link createEventRecorder}. */
export interface EventRecorderOptions {
  readonly client: Pick<ApiClient, 'create' | 'patch'>
  /** `reportingController`, a qualified name such as `berth-scheduler`. */
  readonly controller: string
  /** `reportingInstance`, for example controller and host name. */
  readonly instance: string
  readonly clock: Clock
  readonly log: Logger
}

interface Series {
  readonly event: Event
  readonly mayStart: (() => boolean) | undefined
  count: number
  lastObservedMs: number
  writtenCount: number
  writtenAtMs: number
  isQueued: boolean
  isWriting: boolean
  /** A timer will queue the next write. */
  isScheduled: boolean
}

/**
 * Creates a recorder that writes events in the background, several at a time, with lower priority than all other calls,
 * and each series in order. A repeat with the same note within six minutes raises the count of the series instead of
 * making a new event.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, controller, instance, clock, log } = options
  const stopping = new AbortController()
  const seriesByKey = new Map<string, Series>()
  const queue: Series[] = []
  const stats = { created: 0, seriesPatched: 0, dropped: 0 }
  /** Timers of scheduled writes; they must not keep an ending process alive. */
  const timers = new Set<Timer>()
  const workers = new Set<Promise<void>>()
  let serial = 0

  const enqueue = (series: Series): void => {
    if (series.isQueued || series.isWriting || stopping.signal.aborted) return
    if (queue.length >= MAX_QUEUE) {
      stats.dropped += 1
      return
    }
    series.isQueued = true
    queue.push(series)
    if (workers.size >= MAX_IN_FLIGHT) return
    const worker: Promise<void> = runWorker().finally(() => workers.delete(worker))
    workers.add(worker)
  }

  const runWorker = async (): Promise<void> => {
    // Returns to the caller first: recording must not delay it.
    await Promise.resolve()
    for (let series = queue.shift(); series !== undefined; series = queue.shift()) {
      series.isQueued = false
      series.isWriting = true
      try {
        await write(series)
      } catch (err) {
        stats.dropped += 1
        log.warn({ err, reason: series.event.reason }, 'Failed to write an event')
      }
      series.isWriting = false
      scheduleWrite(series)
    }
  }

  /** Waits until every occurrence is written; a series may need another write after the current one. */
  const drain = async (): Promise<void> => {
    while (workers.size > 0) {
      await Promise.all(workers)
      for (const series of seriesByKey.values()) if (series.count > series.writtenCount) enqueue(series)
    }
  }

  const write = async (series: Series): Promise<void> => {
    const { event, count, mayStart } = series
    const fence = mayStart === undefined ? {} : { mayStart }
    const call = { priority: 'low', signal: stopping.signal, ...fence } as const
    const isFirst = series.writtenCount === 0
    series.writtenCount = isFirst ? 1 : count
    series.writtenAtMs = clock.monotonic()
    if (isFirst) {
      await client.create(resourceRefs.events, event, call)
      stats.created += 1
      return
    }
    const body = { series: seriesOf(series) }
    const { namespace, name = '' } = event.metadata
    try {
      await client.patch(resourceRefs.events, { namespace, name }, body, { ...call, type: 'merge' })
      stats.seriesPatched += 1
    } catch (error) {
      if (!isApiStatus(error, 404)) throw error
      // The event has expired on the server: the series continues in a new one.
      await client.create(resourceRefs.events, { ...event, ...body }, call)
      stats.created += 1
    }
  }

  /** Writes the second occurrence at once, so that the series is visible, and later ones together. */
  const scheduleWrite = (series: Series): void => {
    if (
      series.isQueued ||
      series.isWriting ||
      series.isScheduled ||
      series.count <= series.writtenCount ||
      stopping.signal.aborted
    )
      return
    const waitMs = series.writtenCount < 2 ? 0 : series.writtenAtMs + SERIES_WRITE_INTERVAL_MS - clock.monotonic()
    if (waitMs <= 0) return enqueue(series)
    series.isScheduled = true
    const timer = clock.setTimer(waitMs, () => {
      timers.delete(timer)
      series.isScheduled = false
      enqueue(series)
    })
    timers.add(timer)
  }

  return {
    record(input) {
      try {
        const key = eventKey(input)
        const nowMs = clock.monotonic()
        const known = seriesByKey.get(key)
        if (known !== undefined && nowMs - known.lastObservedMs < SERIES_WINDOW_MS) {
          known.count += 1
          known.lastObservedMs = nowMs
          seriesByKey.delete(key)
          seriesByKey.set(key, known)
          scheduleWrite(known)
          return
        }
        const event = makeEvent(input, { controller, instance, nowMs: clock.now(), serial: serial++ })
        const series = {
          event,
          mayStart: input.mayStart,
          count: 1,
          lastObservedMs: nowMs,
          writtenCount: 0,
          writtenAtMs: nowMs,
          isQueued: false,
          isWriting: false,
          isScheduled: false,
        }
        seriesByKey.delete(key)
        seriesByKey.set(key, series)
        const oldest = seriesByKey.size > MAX_SERIES ? seriesByKey.keys().next() : undefined
        if (oldest?.done === false) seriesByKey.delete(oldest.value)
        enqueue(series)
      } catch (err) {
        stats.dropped += 1
        log.error({ err }, 'Failed to record an event')
      }
    },
    stats: (): EventRecorderStats => ({ ...stats }),
    async [Symbol.asyncDispose]() {
      for (const series of seriesByKey.values()) if (series.count > series.writtenCount) enqueue(series)
      const timer = clock.setTimer(FLUSH_MS, () => stopping.abort(new Error('the event recorder is closed')))
      await orAborted(drain(), stopping.signal).catch(() => undefined)
      timer.cancel()
      stopping.abort(new Error('the event recorder is closed'))
      for (const scheduled of timers) scheduled.cancel()
      timers.clear()
    },
  }

  function seriesOf(series: Series): { readonly count: number; readonly lastObservedTime: string } {
    const agoMs = clock.monotonic() - series.lastObservedMs
    return { count: series.count, lastObservedTime: microTime(clock.now() - agoMs) }
  }
}
