import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { ApiRequest, ApiResponse } from '@berth/types'
import { flattenHeaders, type Connection } from './connection.ts'
import { isTimedOut, toTransportError } from './to-transport-error.ts'
import { endpointOf } from './url-endpoint.ts'
import { isWithheld, withheldError, type FencedRequest } from './fenced-request.ts'

/** Options of {@link openH1Connection}. */
export interface H1Options {
  /** URL of the server, without a slash at the end. */
  readonly server: string
  /** Undefined for plain http. */
  readonly tls: ConnectionOptions | undefined
  /** Maximum of parallel connections; a watch occupies one while it lives. */
  readonly maxSockets: number
  /** Connects a socket of the pool. Default: directly, with `tls`. */
  readonly connectSocket?: () => Promise<Socket>
}

/** Opens a pool of HTTP/1.1 connections: for plain http, and for servers without HTTP/2. */
export function openH1Connection(options: H1Options): Connection {
  const { server, tls, maxSockets, connectSocket } = options
  const keep = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets, scheduling: 'lifo' } as const
  const agent = tls === undefined ? new HttpAgent(keep) : new HttpsAgent({ ...keep, ...tls })
  if (connectSocket !== undefined) Object.assign(agent, { createConnection: createConnectionWith(connectSocket) })
  const url = new URL(server)
  const prefix = url.pathname.replace(/\/+$/, '')
  let isOpen = true
  const dropIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  return {
    isUsable: () => isOpen,
    send(request) {
      const target: RequestOptions = {
        agent,
        ...endpointOf(url, tls === undefined ? 80 : 443),
        method: request.method,
        path: `${prefix}${request.path}`,
        headers: bodyHeaders(request),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      }
      return send(tls !== undefined, target, request, (error, isSent) => {
        // If one connection no longer answers, the idle ones of the pool are most likely dead, too.
        if (isTimedOut(request.signal)) dropIdle()
        return toTransportError(error, { server, request, isSent })
      })
    },
    retire() {
      isOpen = false
      // The agent then closes the socket of each request in flight when the request ends.
      agent.maxFreeSockets = 0
      dropIdle()
    },
    destroy() {
      isOpen = false
      agent.destroy()
    },
  }
}

type TakeSocket = (error: Error | null, socket?: Socket) => void

/** Adapts an asynchronous connect function to the callback of a Node agent. */
function createConnectionWith(connectSocket: () => Promise<Socket>): (_: unknown, take: TakeSocket) => undefined {
  const connect = async (take: TakeSocket): Promise<void> => {
    let socket: Socket
    try {
      socket = await connectSocket()
    } catch (error) {
      return take(error as Error)
    }
    take(null, socket)
  }
  return (_, take) => void connect(take)
}

function bodyHeaders(request: ApiRequest): Record<string, string> {
  const length = request.body?.byteLength
  return length === undefined ? { ...request.headers } : { ...request.headers, 'content-length': String(length) }
}

/** Converts an error of a request for its caller. */
type Explain = (error: unknown, isSent: boolean) => Error

function send(isTls: boolean, target: RequestOptions, request: FencedRequest, explain: Explain): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let isSent = false
    const outgoing = isTls ? httpsRequest(target) : httpRequest(target)
    // Checked only once there is a connection, because waiting for one may take long.
    const start = (): void => {
      if (isWithheld(request)) return void outgoing.destroy(withheldError(request))
      isSent = true
      outgoing.end(request.body)
    }
    outgoing.once('socket', (socket) => {
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', start)
      else start()
    })
    outgoing.once('error', (error) => reject(explain(error, isSent)))
    outgoing.once('response', (incoming) =>
      resolve({
        status: incoming.statusCode ?? 0,
        headers: flattenHeaders(incoming.headers),
        body: bodyOf(incoming, explain),
      }),
    )
  })
}

async function* bodyOf(incoming: IncomingMessage, explain: Explain): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk as Uint8Array
    if (!incoming.complete) throw new Error('the response ended early')
  } catch (error) {
    throw explain(error, true)
  }
}
