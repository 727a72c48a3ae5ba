import type { ApiHandler, ApiResponse, Clock, Logger } from '@berth/types'
import type { ClusterAccess, Credentials } from '../access/cluster-access.ts'
import { TransportError } from '../errors/transport-error.ts'
import { createPersistentConnection } from './persistent-connection.ts'

const CALL_SOCKETS = 16
const WATCH_SOCKETS = 256
const EVENT_SOCKETS = 32
const LEASES_PATH = '/apis/coordination.k8s.io/'
const EVENTS_PATH = '/apis/events.k8s.io/'

/** The credentials for an http server. */
const NO_CREDENTIALS: Credentials = { headers: {} }

/** Sends requests to an API server until it is disposed. */
export interface Transport extends AsyncDisposable {
  readonly handle: ApiHandler
}

/** Options of {@link connectTransport}. */
export interface TransportOptions {
  readonly log: Logger
  readonly clock: Clock
  /** True if HTTP/2 is not offered, for gateways that break it. Default: false. */
  readonly isHttp1Only?: boolean
}

/**
 * Creates a transport with three persistent connections to the API server: one for watches, large lists and leases,
 * one for events, one for all other calls. A slow watcher, a list that is being read or an event that hangs thus does not delay
 * other calls. It uses HTTP/2 if the server supports it, and connects on first use. A connection is replaced once its
 * certificates are rotated; its requests in flight complete. After a 401 or an untrusted certificate it reloads the
 * credentials and repeats the call once. An http server gets no token and no password, as with kubectl.
 */
export function connectTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const { log, clock, isHttp1Only = false } = options
  const isTls = new URL(access.server).protocol === 'https:'
  if (!isTls) log.debug({ context: access.context }, 'Connecting over http, without credentials')
  const credentialsOf: ClusterAccess['credentials'] = (wish) =>
    isTls ? access.credentials(wish) : Promise.resolve(NO_CREDENTIALS)
  const credentialsToConnect = (): Promise<Credentials> => credentialsOf({ isConnecting: true })
  const common = { access, credentialsToConnect, clock, isHttp1Only }
  const calls = createPersistentConnection({ ...common, maxSockets: CALL_SOCKETS })
  const streams = createPersistentConnection({ ...common, maxSockets: WATCH_SOCKETS })
  const events = createPersistentConnection({ ...common, maxSockets: EVENT_SOCKETS })

  const handle: ApiHandler = async (request) => {
    // A renewed lease must not wait behind a thousand binds for a stream of their connection.
    const isLease = request.path.startsWith(LEASES_PATH)
    const isStream = request.isBulk === true || isLease || isWatch(request.path)
    const connection = isStream ? streams : request.path.startsWith(EVENTS_PATH) ? events : calls
    const sendAs = (credentials: Credentials): Promise<ApiResponse> =>
      connection.send({ ...request, headers: { ...request.headers, ...credentials.headers } }, credentials)
    const known = await credentialsOf()
    let first: ApiResponse | undefined
    let untrusted: unknown
    try {
      first = await sendAs(known)
    } catch (error) {
      // The authority may have just been rotated; nothing was sent.
      if (!(error instanceof TransportError) || error.code !== 'BERTH_API_UNTRUSTED') throw error
      untrusted = error
    }
    if (first !== undefined && first.status !== 401) return first
    const renewed = await credentialsOf({ refresh: true })
    if (isSame(known, renewed)) {
      if (first === undefined) throw untrusted
      return first
    }
    if (first !== undefined) for await (const _ of first.body) continue
    log.info({ context: access.context }, 'Reloaded the credentials after they were refused')
    return sendAs(renewed)
  }

  return {
    handle,
    [Symbol.asyncDispose]: () => {
      calls.close()
      streams.close()
      events.close()
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
