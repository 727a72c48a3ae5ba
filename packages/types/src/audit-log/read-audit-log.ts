import { isRecord } from '../is-record.ts'
import { type AuditEvent, readAuditEvent } from './audit-event.ts'

/** A line of an audit log is not an audit event. The message says why, and names no file. */
export class AuditLineError extends Error {}

/** An event of an audit log. */
export interface NumberedAuditEvent {
  /** Number of its line, from 1 on. */
  readonly line: number
  readonly event: AuditEvent
}

/**
 * Reads an audit log (`audit.k8s.io/v1`): one event on each line. Empty lines are skipped.
 *
 * @yields Each event, in the order of the lines.
 * @throws AuditLineError with the number of the first line that is not an event.
 */
export async function* readAuditLog(
  lines: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<NumberedAuditEvent> {
  let line = 0
  for await (const text of lines) {
    line++
    if (text.trim() !== '') yield { line, event: parseLine(text, line) }
  }
}

function parseLine(text: string, line: number): AuditEvent {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AuditLineError(`line ${line} is not JSON`, { cause })
  }
  if (!isRecord(value)) throw new AuditLineError(`line ${line} is not an object`)
  const event = readAuditEvent(value)
  if (event === undefined) throw new AuditLineError(`line ${line} has no requestReceivedTimestamp`)
  return event
}
