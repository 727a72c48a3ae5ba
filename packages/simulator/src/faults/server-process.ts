import type { ApiHandler, ApiResponse } from '@berth/types'
import type { ApiServer } from '@berth/embedded-api-server'
import { BrokenConnectionError } from './broken-connection-error.ts'

/** An API server that can be killed and started again, its data apart from it. */
export interface ServerProcess {
  readonly handle: ApiHandler
  readonly isRunning: boolean
  /** Every connection breaks, watches included; new ones are refused. */
  kill(): void
  /**
   * Starts it again on the data that are there: it remembers no history, so that watches from before get 410; with
   * `atRevision` on the data of that moment, as after etcd was restored from a backup.
   *
   * @throws RangeError where the history does not reach back that far
   */
  start(options?: { readonly atRevision?: number }): void
  /** Requests and watches that were broken or refused. */
  readonly broken: number
}

/** Runs a server as if it were a process of its own. `handler`: what is in front of it already. */
export function createServerProcess(server: ApiServer, handler: ApiHandler = server.handle): ServerProcess {
  let isRunning = true
  let broken = 0
  let life = new AbortController()

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
      const { signal } = life
      const combined = request.signal === undefined ? signal : AbortSignal.any([request.signal, signal])
      const response = await handler({ ...request, signal: combined })
      return { ...response, body: whileAlive(response, signal, () => broken++) }
    },
    kill() {
      isRunning = false
      life.abort()
      life = new AbortController()
    },
    start({ atRevision } = {}) {
      if (atRevision === undefined) server.store.compact()
      else server.store.restore(atRevision)
      isRunning = true
    },
  }
}

/**
 * The body as far as it came before the server was killed; then it breaks instead of ending.
 *
 * @yields its pieces
 */
async function* whileAlive(response: ApiResponse, life: AbortSignal, onBroken: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of response.body) {
    if (life.aborted) break
    yield chunk
  }
  if (!life.aborted) return
  onBroken()
  throw new BrokenConnectionError()
}
