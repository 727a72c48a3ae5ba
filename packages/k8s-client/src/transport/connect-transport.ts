import type { ApiHandler, ApiResponse, Clock, Logger } from '@berth/types'
import type { ClusterAccess, Credentials } from '../access/cluster-access.ts'
import { TransportError } from '../errors/transport-error.ts'
import { createLane } from './lane.ts'

const CALL_SOCKETS = 16
const WATCH_SOCKETS = 256

/** Something that carries exchanges and can be closed. */
export interface Transport extends AsyncDisposable {
  readonly handle: ApiHandler
}

/** What {@link connectTransport} needs besides the access. */
export interface TransportOptions {
  readonly log: Logger
  readonly clock: Clock
  /** Whether HTTP/2 is not even offered, for a gateway that breaks it. Default: false. */
  readonly isHttp1Only?: boolean
}

/**
 * Carries exchanges to the API server over kept connections: one for watches and large lists, one for everything else,
 * so that neither a slow watcher nor a list that is being read holds back a write. HTTP/2 where the server speaks it. Connects on first use. A 401, or a
 * certificate that is not trusted, reads the credentials again and repeats the call once.
 */
export function connectTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const { log, clock, isHttp1Only = false } = options
  const calls = createLane({ access, clock, isHttp1Only, maxSockets: CALL_SOCKETS })
  const streams = createLane({ access, clock, isHttp1Only, maxSockets: WATCH_SOCKETS })

  const handle: ApiHandler = async (request) => {
    const lane = request.isBulk === true || isWatch(request.path) ? streams : calls
    const exchange = (by: Credentials): Promise<ApiResponse> =>
      lane.exchange({ ...request, headers: { ...request.headers, ...by.headers } }, by)
    const known = await access.credentials()
    let first: ApiResponse | undefined
    let untrusted: unknown
    try {
      first = await exchange(known)
    } catch (error) {
      // The authority may have been rotated a moment ago; nothing was sent.
      if (!(error instanceof TransportError) || error.code !== 'BERTH_API_UNTRUSTED') throw error
      untrusted = error
    }
    if (first !== undefined && first.status !== 401) return first
    const renewed = await access.credentials({ refresh: true })
    if (isSame(known, renewed)) {
      if (first === undefined) throw untrusted
      return first
    }
    if (first !== undefined) for await (const _ of first.body) continue
    log.info({ context: access.context }, 'Read the credentials again after they were refused')
    return exchange(renewed)
  }

  return {
    handle,
    [Symbol.asyncDispose]: () => {
      calls.close()
      streams.close()
      return Promise.resolve()
    },
  }
}

function isWatch(path: string): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/.test(path)
}

function isSame(a: Credentials, b: Credentials): boolean {
  if (a.cert !== b.cert || a.ca !== b.ca) return false
  const names = Object.keys(a.headers)
  return names.length === Object.keys(b.headers).length && names.every((name) => a.headers[name] === b.headers[name])
}
