import type { ApiHandler, ApiResponse, Clock } from '@berth/types'
import type { RecordedLine } from './watch-recording.ts'

/**
 * Writes down what passes between a client and an API server: requests and their answers, watches piece by piece, with
 * their times.
 *
 * @param write - Takes one line, with its line end.
 */
export function recordExchanges(handler: ApiHandler, clock: Clock, write: (line: string) => void): ApiHandler {
  const beganMs = clock.monotonic()
  let ids = 0
  // Distributes over the kinds of lines.
  type Said<T = RecordedLine> = T extends unknown ? Omit<T, 'atMs'> : never
  const say = (line: Said): void =>
    write(`${JSON.stringify({ atMs: Math.round(clock.monotonic() - beganMs), ...line })}\n`)

  async function* recorded(id: number, { body }: ApiResponse): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder()
    let isBroken = true
    try {
      for await (const chunk of body) {
        say({ id, kind: 'chunk', text: decoder.decode(chunk, { stream: true }) })
        yield chunk
      }
      isBroken = false
    } finally {
      say({ id, kind: 'end', isBroken })
    }
  }

  return async (request) => {
    const id = ids++
    const { method, path } = request
    say({ id, kind: 'request', method, path })
    try {
      const response = await handler(request)
      const { status, headers } = response
      say({ id, kind: 'head', status, headers })
      return { ...response, body: recorded(id, response) }
    } catch (error) {
      say({ id, kind: 'end', isBroken: true })
      throw error
    }
  }
}
