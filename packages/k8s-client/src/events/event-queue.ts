import type { Clock, Event } from '@berth/types'
import { createBackPressure } from './back-pressure.ts'
import type { DroppedEvents } from './dropped-events.ts'
import type { EventWriter } from './event-writer.ts'
import { createFailureShare } from './failure-share.ts'
import { createWriteLane } from './write-lane.ts'

/** As many as the binds in flight of a scheduler; with fewer, events would fall seconds behind on a busy API server. */
const MAX_IN_FLIGHT = 128
/** Callers of waitForRoom wait while more events are queued. Small, so that an event is written soon after its cause. */
const MAX_WAITING = 250
/** Limit while the API server does not accept events and callers no longer wait: about 10 MiB. */
const MAX_QUEUED = 10_000
/** Without a written event for this long, the API server is considered not to accept events. */
const PATIENCE_MS = 2_000
/**
 * Share of failed writes from which the API server is considered not to accept events. Below it, the writes in flight keep
 * up with the default rate limit of a scheduler in spite of the pause after each failure.
 */
const MAX_FAILURE_SHARE = 0.2
/** Number of the latest writes over which the share is computed. */
const FAILURE_WINDOW = 50
/** A server that only answers 429 counts as one that does not accept events after this time. */
const MAX_THROTTLED_MS = 60_000

/** Events that are written once each, in order. */
export interface EventQueue {
  add(event: Event, mayStart: (() => boolean) | undefined): void
  waitForRoom(signal: AbortSignal): Promise<void>
  waiting(): number
  /** Waits until every event is written. */
  drain(): Promise<void>
  /** Counts the events that are left as dropped. */
  close(): void
}

interface QueuedEvent {
  readonly event: Event
  readonly mayStart: (() => boolean) | undefined
}

/** Creates an empty queue. */
export function createEventQueue(options: {
  readonly writer: EventWriter
  readonly dropped: DroppedEvents
  readonly clock: Clock
  readonly signal: AbortSignal
}): EventQueue {
  const { writer, dropped, clock, signal } = options
  const queue: QueuedEvent[] = []
  const failures = createFailureShare(FAILURE_WINDOW)
  let writtenMs = clock.monotonic()
  const room = createBackPressure({
    waiting: () => queue.length,
    maxWaiting: MAX_WAITING,
    patienceMs: PATIENCE_MS,
    isSuspended: () => failures.share() > MAX_FAILURE_SHARE,
    clock,
  })
  const lane = createWriteLane<QueuedEvent>({
    maxInFlight: MAX_IN_FLIGHT,
    queue: {
      size: () => queue.length,
      take() {
        const item = queue.shift()
        room.update()
        return item
      },
      putBack: (item) => void queue.push(item),
    },
    write: ({ event, mayStart }) => writer.create(event, mayStart, 'normal'),
    onWritten() {
      writtenMs = clock.monotonic()
      failures.add(false)
      room.progress()
    },
    onFailed() {
      failures.add(true)
      room.update()
    },
    onThrottled(retryAfterMs) {
      const nowMs = clock.monotonic()
      if (nowMs - writtenMs < MAX_THROTTLED_MS) room.progress(nowMs + retryAfterMs)
    },
    onGivenUp: ({ event }, cause, error) => dropped.add(event, cause, error),
    signal,
    clock,
  })

  return {
    add(event, mayStart) {
      if (queue.length >= MAX_QUEUED) {
        dropped.add(event, 'queue-full')
        return
      }
      if (queue.length === 0) room.progress()
      queue.push({ event, mayStart })
      lane.wake()
    },
    waitForRoom: (callerSignal) => room.waitForRoom(callerSignal),
    waiting: () => queue.length,
    drain: () => lane.idle(),
    close() {
      for (const { event } of queue.splice(0)) dropped.add(event, 'shutdown')
    },
  }
}
