import type { ApiHandler, ApiResponse, Clock } from '@berth/types'
import type { RecordedLine } from './recording.ts'

/**
 * Records the exchanges between a client and an API server with their times: requests, responses and the chunks of
 * watches.
 *
 * @param write - Receives one line, including its line break.
 */
export function recordExchanges(handler: ApiHandler, clock: Clock, write: (line: string) => void): ApiHandler {
  const startMs = clock.monotonic()
  let ids = 0
  // A conditional type distributes over the union.
  type LineWithoutTime<T = RecordedLine> = T extends unknown ? Omit<T, 'atMs'> : never
  const writeLine = (line: LineWithoutTime): void =>
    write(`${JSON.stringify({ atMs: Math.round(clock.monotonic() - startMs), ...line })}\n`)

  async function* recorded(id: number, { body }: ApiResponse): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder()
    let isBroken = true
    try {
      for await (const chunk of body) {
        writeLine({ id, kind: 'chunk', text: decoder.decode(chunk, { stream: true }) })
        yield chunk
      }
      isBroken = false
    } finally {
      writeLine({ id, kind: 'end', isBroken })
    }
  }

  return async (request) => {
    const id = ids++
    const { method, path } = request
    writeLine({ id, kind: 'request', method, path })
    try {
      const response = await handler(request)
      const { status, headers } = response
      writeLine({ id, kind: 'head', status, headers })
      return { ...response, body: recorded(id, response) }
    } catch (error) {
      writeLine({ id, kind: 'end', isBroken: true })
      throw error
    }
  }
}
