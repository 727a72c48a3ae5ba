import type { Clock, Logger } from '@berth/types'
import type { ApiClient } from '../api-client/api-client.ts'
import type { RateLimit } from '../calls/rate-limit.ts'
import { createDroppedEvents, type EventObserver } from './dropped-events.ts'
import { createEventQueue } from './event-queue.ts'
import { createEventSeries } from './event-series.ts'
import { createEventWriter } from './event-writer.ts'
import { makeEvent, type EventInput } from './make-event.ts'

const FLUSH_MS = 5_000

/** Counts of an {@link EventRecorder} since its start. */
export interface EventRecorderStats {
  readonly created: number
  readonly seriesPatched: number
  /** Events that were lost. Does not count events that a newer one replaced. */
  readonly dropped: number
  /** Number of events that wait to be written. */
  readonly waiting: number
}

/** Writes `events.k8s.io/v1` events in the background. */
export interface EventRecorder extends AsyncDisposable {
  /** Queues an event. Never throws and never waits; see {@link EventDelivery}. */
  record(event: EventInput): void
  /**
   * Back-pressure for events with the delivery `each`: resolves when few of them wait. Resolves also while the API server
   * does not accept events, and when `signal` aborts; events are lost then if they become too many. Never rejects.
   */
  waitForRoom(signal: AbortSignal): Promise<void>
  stats(): EventRecorderStats
}

/** The dependencies of {@link createEventRecorder}. */
export interface EventRecorderOptions {
  readonly client: Pick<ApiClient, 'create' | 'patch'>
  /** `reportingController`, a qualified name such as `berth-scheduler`. */
  readonly controller: string
  /** `reportingInstance`, for example controller and host name. */
  readonly instance: string
  /** Rate limit of events with the delivery `latest`, in addition to the client's. */
  readonly latestLimit: RateLimit
  readonly observer?: EventObserver
  readonly clock: Clock
  readonly log: Logger
}

/** Creates a recorder that writes events in the background, several at a time. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, controller, instance, clock, log, latestLimit, observer } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const dropped = createDroppedEvents({ clock, log, observer })
  let serial = 0

  const writer = createEventWriter(client, { signal, onWritten: ({ reason }) => observer?.written(reason) })
  const parts = { writer, dropped, clock, signal }
  const queue = createEventQueue(parts)
  const series = createEventSeries({ ...parts, limit: latestLimit })

  return {
    record(input) {
      try {
        const stamp = { controller, instance, nowMs: clock.now(), serial: serial++ }
        if (signal.aborted) dropped.add(makeEvent(input, stamp), 'shutdown')
        else if (input.delivery === 'each') queue.add(makeEvent(input, stamp), input.mayStart)
        else series.add(input, stamp)
      } catch (err) {
        dropped.add(undefined, 'invalid', err)
      }
    },
    waitForRoom: (callerSignal) => queue.waitForRoom(callerSignal),
    stats: () => ({ ...writer.counts, dropped: dropped.count, waiting: queue.waiting() + series.waiting() }),
    async [Symbol.asyncDispose]() {
      const timer = clock.setTimer(FLUSH_MS, () => stopping.abort(new Error('the event recorder is closed')))
      await Promise.all([queue.drain(), series.drain()])
      timer.cancel()
      stopping.abort(new Error('the event recorder is closed'))
      queue.close()
      series.close()
      dropped.flush()
    },
  }
}
