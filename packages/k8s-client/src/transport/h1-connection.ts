import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { ApiRequest, ApiResponse } from '@berth/types'
import { flatHeaders, type Connection } from './connection.ts'
import { isTimedOut, transportFailure } from './transport-failure.ts'
import { isWithheld, withheldFailure, type FencedRequest } from './fenced-request.ts'

/** What {@link openH1Connection} needs. */
export interface H1Options {
  /** Server without a slash at the end. */
  readonly server: string
  /** Undefined for plain http. */
  readonly tls: ConnectionOptions | undefined
  /** Parallel connections at most; a watch holds one for as long as it lives. */
  readonly maxSockets: number
  /** Connects by way of a proxy; default: directly. */
  readonly connectSocket?: () => Promise<Socket>
}

/** Exchanges over HTTP/1.1 with kept connections: for plain http and for servers that refuse HTTP/2. */
export function openH1Connection(options: H1Options): Connection {
  const { server, tls, maxSockets, connectSocket } = options
  const keep = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets, scheduling: 'lifo' } as const
  const agent = tls === undefined ? new HttpAgent(keep) : new HttpsAgent({ ...keep, ...tls })
  if (connectSocket !== undefined) Object.assign(agent, { createConnection: bySocket(connectSocket) })
  const url = new URL(server)
  const prefix = url.pathname.replace(/\/+$/, '')
  let isOpen = true
  const dropIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  return {
    isUsable: () => isOpen,
    exchange(request) {
      const target: RequestOptions = {
        agent,
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port === '' ? (tls === undefined ? 80 : 443) : Number(url.port),
        method: request.method,
        path: `${prefix}${request.path}`,
        headers: bodyHeaders(request),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      }
      return send(tls !== undefined, target, request, (error, isSent) => {
        // Where one connection answers no more, the others of the pool have most likely died with it.
        if (isTimedOut(request.signal)) dropIdle()
        return transportFailure(error, { server, request, isSent })
      })
    },
    retire() {
      isOpen = false
      dropIdle()
    },
    destroy() {
      isOpen = false
      agent.destroy()
    },
  }
}

type TakeSocket = (error: Error | null, socket?: Socket) => void

/** An agent takes a connection that comes later by way of its callback. */
function bySocket(connectSocket: () => Promise<Socket>): (_: unknown, take: TakeSocket) => undefined {
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

/** What a broken exchange is for its caller. */
type Explain = (error: unknown, isSent: boolean) => Error

function send(isTls: boolean, target: RequestOptions, request: FencedRequest, explain: Explain): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let isSent = false
    const outgoing = isTls ? httpsRequest(target) : httpRequest(target)
    // Nothing is handed over before there is a connection: to wait for one may take long.
    const start = (): void => {
      if (isWithheld(request)) return void outgoing.destroy(withheldFailure(request))
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
        headers: flatHeaders(incoming.headers),
        body: bodyOf(incoming, explain),
      }),
    )
  })
}

async function* bodyOf(incoming: IncomingMessage, explain: Explain): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk as Uint8Array
    if (!incoming.complete) throw new Error('the answer broke off')
  } catch (error) {
    throw explain(error, true)
  }
}
