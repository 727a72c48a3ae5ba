import { printableLine } from '@berth/text/printable'
import type { Event, ObjectReference } from '@berth/types'
import { microTime } from '../api-conventions/micro-time.ts'

const MAX_NOTE_BYTES = 1_024
const MAX_WORD_BYTES = 128

/** An event to record. */
export interface EventInput {
  readonly regarding: ObjectReference
  readonly related?: ObjectReference
  readonly type: 'Normal' | 'Warning'
  /** UpperCamelCase word, at most 128 bytes. */
  readonly reason: string
  /** The action during which it happened: `Scheduling`, `Binding`. */
  readonly action: string
  /** One sentence. Line feeds become spaces and control characters are removed; cut at 1,024 bytes. */
  readonly note: string
  /** As in {@link CallOptions}, for events that become untrue once another process leads. Omit it for facts. */
  readonly mayStart?: () => boolean
  /** `reportingController` of a program that reports under several names. Default: the recorder's. */
  readonly controller?: string
  /** Default: `latest`. */
  readonly delivery?: EventDelivery
}

/**
 * How an event is written.
 *
 * - `each`: written once, in order. For facts that occur once, such as Scheduled.
 * - `latest`: a newer event about the same object with the same reason and action replaces it until it is written, and
 *   repeats become a series. For states that are observed again and again, such as FailedScheduling.
 */
export type EventDelivery = 'each' | 'latest'

/** Identifies what an event is about: of the events with the same key, only the latest matters. */
export function eventSubject(input: EventInput): string {
  const { regarding, related } = input
  return JSON.stringify([
    input.type,
    input.action,
    input.reason,
    referenceOf(regarding),
    related === undefined ? null : referenceOf(related),
    input.controller,
  ])
}

function referenceOf(reference: ObjectReference): readonly unknown[] {
  return [reference.kind, reference.namespace, reference.name, reference.uid, reference.fieldPath]
}

/** The reporter of an event, its time and its serial number. */
export interface EventStamp {
  readonly controller: string
  readonly instance: string
  readonly nowMs: number
  readonly serial: number
}

/** Builds the API object of an event. */
export function makeEvent(input: EventInput, stamp: EventStamp): Event {
  const { regarding, related } = input
  // Nanoseconds as upstream; the serial distinguishes events of the same millisecond.
  const nanoseconds = BigInt(Math.floor(stamp.nowMs)) * 1_000_000n + BigInt(stamp.serial % 1_000_000)
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: `${(regarding.name ?? 'unknown').slice(0, 230)}.${nanoseconds.toString(16)}`,
      namespace: regarding.namespace ?? 'default',
    },
    eventTime: microTime(stamp.nowMs),
    reportingController: cutBytes(input.controller ?? stamp.controller, MAX_WORD_BYTES, ''),
    reportingInstance: cutBytes(stamp.instance, MAX_WORD_BYTES, ''),
    action: cutBytes(input.action, MAX_WORD_BYTES, ''),
    reason: cutBytes(input.reason, MAX_WORD_BYTES, ''),
    // Notes name ids of devices and answers of servers, and kubectl prints them on a terminal.
    note: cutBytes(printableLine(input.note), MAX_NOTE_BYTES, ' ...'),
    type: input.type,
    regarding,
    ...(related === undefined ? {} : { related }),
  }
}

/** Cuts text to a number of UTF-8 bytes without splitting a character. */
function cutBytes(text: string, maxBytes: number, mark: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes - mark.length
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString('utf8') + mark
}
