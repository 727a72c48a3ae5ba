import type { ApiHandler, ApiRequest, ApiResponse, Clock } from '@berth/types'
import { BrokenConnectionError } from './broken-connection-error.ts'
import { subjectOf, type RecordedLine } from './recording.ts'

interface RecordedExchange {
  readonly subject: string
  readonly startMs: number
  readonly lines: RecordedLine[]
}

/** Answers requests from a recording. */
export interface Replay {
  readonly handle: ApiHandler
  /** Number of recorded exchanges that were not requested yet. */
  readonly remaining: number
}

/**
 * Replays a recording: the n-th request for a subject gets the response of the recorded n-th one, with the same delays.
 * After the end of the recording a watch gets no events, and the connection of every other request breaks.
 */
export function replayExchanges(recording: readonly RecordedLine[], clock: Clock): Replay {
  const byId = new Map<number, RecordedExchange>()
  for (const line of recording) {
    if (line.kind === 'request')
      byId.set(line.id, { subject: subjectOf(line.method, line.path), startMs: line.atMs, lines: [] })
    else byId.get(line.id)?.lines.push(line)
  }
  const bySubject = Map.groupBy(byId.values(), ({ subject }) => subject)

  const waitUntil = (atMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel()
        reject(new BrokenConnectionError('the client gave up'))
      }
      const timer = clock.setTimer(Math.max(0, atMs - clock.monotonic()), () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })

  async function* body(
    lines: readonly RecordedLine[],
    dueOf: (line: RecordedLine) => number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    for (const line of lines) {
      await waitUntil(dueOf(line), signal)
      if (line.kind === 'chunk') yield Buffer.from(line.text)
      else if (line.kind === 'end' && line.isBroken) throw new BrokenConnectionError()
    }
    // The recording stopped before the exchange ended.
    if (lines.at(-1)?.kind !== 'end') await waitUntil(Number.POSITIVE_INFINITY, signal)
  }

  async function handle(request: ApiRequest): Promise<ApiResponse> {
    const { signal } = request
    const subject = subjectOf(request.method, request.path)
    const exchange = bySubject.get(subject)?.shift()
    if (exchange === undefined) {
      if (!subject.startsWith('WATCH')) throw new BrokenConnectionError(`nothing is recorded for ${subject}`)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: body([], () => 0, signal) }
    }
    const offsetMs = clock.monotonic() - exchange.startMs
    const dueOf = (line: RecordedLine): number => line.atMs + offsetMs
    const [head, ...rest] = exchange.lines
    if (head !== undefined) await waitUntil(dueOf(head), signal)
    if (head?.kind !== 'head') throw new BrokenConnectionError()
    return { status: head.status, headers: head.headers, body: body(rest, dueOf, signal) }
  }

  return {
    handle,
    get remaining() {
      return [...bySubject.values()].reduce((sum, exchanges) => sum + exchanges.length, 0)
    },
  }
}
