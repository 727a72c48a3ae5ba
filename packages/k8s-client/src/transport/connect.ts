import type { ApiHandler, Clock, Logger } from '@berth/types'
import type { ClusterAccess } from '../access.ts'
import type { Transport } from '../client-types.ts'
import { createLane } from './lane.ts'

const CALL_SOCKETS = 16
const WATCH_SOCKETS = 256

/** What {@link connectTransport} needs besides the access. */
export interface TransportOptions {
  readonly log: Logger
  readonly clock: Clock
}

/**
 * Carries exchanges to the API server over kept connections: one for watches, one for everything else, so that a
 * slow watcher never holds back a write. HTTP/2 where the server speaks it. Connects on first use. A 401 reads the
 * credentials again and repeats the call once.
 */
export function connectTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const { log, clock } = options
  const calls = createLane({ access, clock, maxSockets: CALL_SOCKETS })
  const watches = createLane({ access, clock, maxSockets: WATCH_SOCKETS })

  const handle: ApiHandler = async (request) => {
    const lane = isWatch(request.path) ? watches : calls
    const known = await access.credentials()
    const first = await lane.exchange({ ...request, headers: { ...request.headers, ...known.headers } }, known)
    if (first.status !== 401) return first
    const renewed = await access.credentials({ refresh: true })
    if (isSame(known.headers, renewed.headers) && known.cert === renewed.cert) return first
    for await (const _ of first.body) continue
    log.info({ context: access.context }, 'Read the credentials again after they were refused')
    return lane.exchange({ ...request, headers: { ...request.headers, ...renewed.headers } }, renewed)
  }

  return {
    handle,
    [Symbol.asyncDispose]: () => {
      calls.close()
      watches.close()
      return Promise.resolve()
    },
  }
}

function isWatch(path: string): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/.test(path)
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
