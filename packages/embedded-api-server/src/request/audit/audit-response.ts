import type { ApiResponse, Clock } from '@berth/types'
import { createAuditEvent, type AuditedRequest, type AuditEvent, type AuditLevel } from './audit-event.ts'

/** Where audit events are sent, and how detailed they are. */
export interface AuditOptions {
  readonly level: AuditLevel
  /** Called with every event, in order; it must not throw. */
  readonly sink: (event: AuditEvent) => void
}

/** Returns a sink that writes one line of JSON for each event, as upstream's log backend does. */
export function jsonLinesSink(write: (line: string) => void): AuditOptions['sink'] {
  return (event) => write(`${JSON.stringify(event)}\n`)
}

/**
 * Sends the audit event of a response to the sink, and returns the response. A watch has one event when it starts and
 * one when it ends.
 */
export function auditResponse(
  { level, sink }: AuditOptions,
  clock: Clock,
  request: AuditedRequest,
  response: ApiResponse,
): ApiResponse {
  const { status: code } = response
  const isStream = request.attributes.verb === 'watch' && code === 200
  if (isStream) sink(createAuditEvent(level, request, { code, stage: 'ResponseStarted', nowMs: clock.now() }))
  if (!isStream && level !== 'RequestResponse' && code < 400) {
    sink(createAuditEvent(level, request, { code, stage: 'ResponseComplete', nowMs: clock.now() }))
    return response
  }
  return { ...response, body: read(response.body) }

  async function* read(body: ApiResponse['body']): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of body) {
        if (!isStream) text += decoder.decode(chunk, { stream: true })
        yield chunk
      }
    } finally {
      const refusal = code < 400 ? undefined : statusOf(text)
      sink(
        createAuditEvent(level, request, {
          code,
          stage: 'ResponseComplete',
          nowMs: clock.now(),
          ...(refusal === undefined ? {} : { status: refusal }),
          ...(level === 'RequestResponse' && !isStream ? { text } : {}),
        }),
      )
    }
  }
}

function statusOf(text: string): NonNullable<Parameters<typeof createAuditEvent>[2]['status']> | undefined {
  try {
    return JSON.parse(text) as NonNullable<Parameters<typeof createAuditEvent>[2]['status']>
  } catch {
    return undefined
  }
}
