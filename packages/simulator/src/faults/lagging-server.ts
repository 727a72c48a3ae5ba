import type { ApiHandler, Random, Timer } from '@berth/types'
import { type ApiServer, type Change, createApiServer } from '@berth/embedded-api-server'

/** A second API server of the same cluster, whose data are out of date. */
export interface LaggingServer extends Disposable {
  /** Answers reads and watches with old data. Writes go to the first server and take effect at once. */
  readonly handle: ApiHandler
  /** Sets the lag of later changes in milliseconds. */
  setLag(ms: number): void
  /** The latest revision that it has. */
  readonly revision: number
  /** Number of reads and watches that it answered with old data. */
  readonly staleReads: number
}

/** Creates a server that follows `server` with a lag, measured with that server's clock. */
export function createLaggingServer(
  server: ApiServer,
  options: { readonly lagMs: number; readonly random: Random },
): LaggingServer {
  const { clock, log } = server.context
  let { lagMs } = options
  let staleReads = 0
  const follower = createApiServer({ clock, random: options.random, log, store: server.store.fork() })
  const pending: { readonly storage: string; readonly change: Change; readonly dueMs: number }[] = []
  let timer: Timer | undefined

  const deliver = (): void => {
    timer = undefined
    for (let first = pending[0]; first !== undefined && first.dueMs <= clock.monotonic(); first = pending[0]) {
      pending.shift()
      follower.store.replay(first.storage, first.change)
    }
    scheduleNext()
  }
  const scheduleNext = (): void => {
    const first = pending[0]
    if (first !== undefined) timer ??= clock.setTimer(Math.max(0, first.dueMs - clock.monotonic()), deliver)
  }
  const unsubscribe = server.store.subscribe((storage, change) => {
    // Changes arrive in order, also when the lag becomes shorter.
    const dueMs = Math.max(clock.monotonic() + lagMs, pending.at(-1)?.dueMs ?? 0)
    pending.push({ storage, change, dueMs })
    scheduleNext()
  })

  return {
    async handle(request) {
      if (request.method !== 'GET') return await server.handle(request)
      if (pending.length > 0) staleReads++
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
