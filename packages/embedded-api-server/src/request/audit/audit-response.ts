import type { ApiResponse, Clock } from '@berth/types'
import { auditEventOf, type AuditedRequest, type AuditEvent, type AuditLevel } from './audit-event.ts'

/** Where the audit goes and how much of it. */
export interface AuditOptions {
  readonly level: AuditLevel
  /** Called with every event, in order; it must not throw. */
  readonly sink: (event: AuditEvent) => void
}

/** A sink that writes one line of JSON for each event, as upstream's log backend. */
export function auditLines(write: (line: string) => void): AuditOptions['sink'] {
  return (event) => write(`${JSON.stringify(event)}\n`)
}

/** Writes an answer down; the answer of a watch when it begins and when it ends. */
export function audited(
  { level, sink }: AuditOptions,
  clock: Clock,
  request: AuditedRequest,
  response: ApiResponse,
): ApiResponse {
  const { status: code } = response
  const isStream = request.attributes.verb === 'watch' && code === 200
  if (isStream) sink(auditEventOf(level, request, { code, stage: 'ResponseStarted', nowMs: clock.now() }))
  if (!isStream && level !== 'RequestResponse' && code < 400) {
    sink(auditEventOf(level, request, { code, stage: 'ResponseComplete', nowMs: clock.now() }))
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
        auditEventOf(level, request, {
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

function statusOf(text: string): NonNullable<Parameters<typeof auditEventOf>[2]['status']> | undefined {
  try {
    return JSON.parse(text) as NonNullable<Parameters<typeof auditEventOf>[2]['status']>
  } catch {
    return undefined
  }
}
