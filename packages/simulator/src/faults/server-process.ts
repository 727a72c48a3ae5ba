import type { ApiHandler, ApiResponse } from '@berth/types'
import type { ApiServer } from '@berth/embedded-api-server'
import { BrokenConnectionError } from './broken-connection-error.ts'

/** An API server that can be killed and started again without losing its data. */
export interface ServerProcess {
  readonly handle: ApiHandler
  readonly isRunning: boolean
  /** Breaks every connection, including watches, and refuses new ones. */
  kill(): void
  /**
   * Starts the server again, without history, so that watches from an older revision get 410. With `atRevision` it starts
   * with the data of that revision, as after a restore of etcd from a backup.
   *
   * @throws RangeError when the history does not contain the revision.
   */
  start(options?: { readonly atRevision?: number }): void
  /** Number of broken or refused requests and watches. */
  readonly broken: number
}

/** Runs a server like a separate process. `handler` is the server's handler, possibly wrapped. */
export function createServerProcess(server: ApiServer, handler: ApiHandler = server.handle): ServerProcess {
  let isRunning = true
  let broken = 0
  /** Aborts when the server is killed. */
  let killed = new AbortController()

  return {
    get isRunning() {
      return isRunning
    },
    get broken() {
      return broken
    },
    async handle(request) {
      if (!isRunning) {
        broken++
        throw new BrokenConnectionError('connect ECONNREFUSED')
      }
      const { signal } = killed
      const combined = request.signal === undefined ? signal : AbortSignal.any([request.signal, signal])
      const response = await handler({ ...request, signal: combined })
      return { ...response, body: untilKilled(response, signal, () => broken++) }
    },
    kill() {
      isRunning = false
      killed.abort()
      killed = new AbortController()
    },
    start({ atRevision } = {}) {
      if (atRevision === undefined) server.store.compact()
      else server.store.restore(atRevision)
      isRunning = true
    },
  }
}

/**
 * Breaks a body when the server is killed.
 *
 * @yields A piece of the body.
 */
async function* untilKilled(
  response: ApiResponse,
  killed: AbortSignal,
  onBroken: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of response.body) {
    if (killed.aborted) break
    yield chunk
  }
  if (!killed.aborted) return
  onBroken()
  throw new BrokenConnectionError()
}
