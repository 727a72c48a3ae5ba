import type { ApiHandler, Random, Timer } from '@berth/types'
import { type ApiServer, type Change, createApiServer } from '@berth/embedded-api-server'

/** A second API server of the same cluster that is behind. */
export interface LaggingServer extends Disposable {
  /** Reads and watches are answered from the past; writes go to the other server and take effect at once. */
  readonly handle: ApiHandler
  /** How far it is behind from now on, in milliseconds; what is on its way already keeps its time. */
  setLag(ms: number): void
  /** Revision up to which it knows the cluster. */
  readonly revision: number
  /** Reads and watches that it answered while it did not know everything. */
  readonly staleReads: number
}

/** Follows `server` at a distance, by its clock. */
export function createLaggingServer(
  server: ApiServer,
  options: { readonly lagMs: number; readonly random: Random },
): LaggingServer {
  const { clock, log } = server.context
  let { lagMs } = options
  let staleReads = 0
  const follower = createApiServer({ clock, random: options.random, log, store: server.store.fork() })
  const waiting: { readonly storage: string; readonly change: Change; readonly dueMs: number }[] = []
  let timer: Timer | undefined

  const deliver = (): void => {
    timer = undefined
    for (let first = waiting[0]; first !== undefined && first.dueMs <= clock.monotonic(); first = waiting[0]) {
      waiting.shift()
      follower.store.replay(first.storage, first.change)
    }
    arm()
  }
  const arm = (): void => {
    const first = waiting[0]
    if (first !== undefined) timer ??= clock.setTimer(Math.max(0, first.dueMs - clock.monotonic()), deliver)
  }
  const unsubscribe = server.store.subscribe((storage, change) => {
    // Never before what happened earlier.
    const dueMs = Math.max(clock.monotonic() + lagMs, waiting.at(-1)?.dueMs ?? 0)
    waiting.push({ storage, change, dueMs })
    arm()
  })

  return {
    async handle(request) {
      if (request.method !== 'GET') return await server.handle(request)
      if (waiting.length > 0) staleReads++
      return await follower.handle(request)
    },
    setLag(ms) {
      lagMs = ms
    },
    get revision() {
      return follower.store.revision
    },
    get staleReads() {
      return staleReads
    },
    [Symbol.dispose]() {
      unsubscribe()
      timer?.cancel()
    },
  }
}
