import { createApiServer, type ApiServer } from '@berth/simulator'
import { isWatchRequest } from '@berth/simulator/testing'
import type { AuditRecord } from '@berth/invariant-judge'
import type { ApiHandler, ApiRequest, ApiResponse, Clock, Random } from '@berth/types'

/** An API server whose audit log has the writes in their order. */
export interface AuditedServer {
  readonly server: ApiServer
  readonly handle: ApiHandler
}

/** Creates the server. It answers a write before it begins the next, so that their audit events are in the same order. */
export function createAuditedServer(options: {
  readonly clock: Clock
  readonly random: Random
  readonly onEvent: (event: AuditRecord) => void
  /** Called for each request. */
  readonly onRequest: () => void
}): AuditedServer {
  const { clock, random, onEvent, onRequest } = options
  const server = createApiServer({ clock, random, audit: { level: 'RequestResponse', sink: onEvent } })
  let last: Promise<unknown> = Promise.resolve()
  return {
    server,
    handle(request) {
      onRequest()
      if (isWatchRequest(request)) return server.handle(request)
      const answer = last.then(() => readWhole(server.handle, request))
      last = answer.catch(() => undefined)
      return answer
    },
  }
}

async function readWhole(handle: ApiHandler, request: ApiRequest): Promise<ApiResponse> {
  const response = await handle(request)
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return { ...response, body: bytesOf(chunks) }
}

async function* bytesOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
