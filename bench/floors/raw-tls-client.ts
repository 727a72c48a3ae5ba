import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import type { FloorClient, FloorConnection } from './floor-case.ts'

interface Waiting {
  readonly resolve: (status: number) => void
  readonly reject: (error: Error) => void
}

interface RawConnection {
  readonly socket: TLSSocket
  /** The requests in flight, oldest first: HTTP/1.1 answers in order. */
  readonly waiting: Waiting[]
}

/**
 * Writes HTTP/1.1 by hand on TLS sockets, and reads only the status and the length of a response. With a depth above 1,
 * several requests are on their way on each socket, which needs fewer sockets, but the server answers them in turns.
 */
export async function rawTlsClient(
  { server, ca, inFlight, headers }: FloorConnection,
  { depth }: { readonly depth: number },
): Promise<FloorClient> {
  const { hostname, port, host } = new URL(server)
  const connections = await Promise.all(
    Array.from({ length: Math.ceil(inFlight / depth) }, async (): Promise<RawConnection> => {
      const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] })
      await once(socket, 'secureConnect')
      socket.setNoDelay(true)
      const connection = { socket, waiting: [] }
      readResponses(connection)
      return connection
    }),
  )
  const fixed = Object.entries({ host, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  let next = 0
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const connection = leastBusy(connections, next++)
        connection.waiting.push({ resolve, reject })
        const head = `POST ${path} HTTP/1.1\r\n${fixed}content-length: ${body.length}\r\n\r\n`
        const bytes = Buffer.allocUnsafe(head.length + body.length)
        bytes.write(head, 'latin1')
        bytes.set(body, head.length)
        connection.socket.write(bytes)
      }),
    close() {
      for (const { socket } of connections) socket.destroy()
    },
  }
}

function leastBusy(connections: readonly RawConnection[], from: number): RawConnection {
  let best: RawConnection | undefined
  for (let i = 0; i < connections.length; i++) {
    const each = connections[(from + i) % connections.length]
    if (each === undefined) continue
    if (each.waiting.length === 0) return each
    if (best === undefined || each.waiting.length < best.waiting.length) best = each
  }
  if (best === undefined) throw new Error('there are no connections')
  return best
}

const HEAD_END = Buffer.from('\r\n\r\n')

function readResponses({ socket, waiting }: RawConnection): void {
  let rest: Buffer | undefined
  const fail = (error: Error): void => {
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    rest = undefined
    while (bytes.length > 0) {
      const headEnd = bytes.indexOf(HEAD_END)
      const head = headEnd === -1 ? '' : bytes.toString('latin1', 0, headEnd)
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (headEnd !== -1 && length === undefined) return fail(new Error(`a response without a length: ${head}`))
      const end = headEnd + HEAD_END.length + Number(length)
      if (headEnd === -1 || bytes.length < end) {
        rest = bytes
        return
      }
      waiting.shift()?.resolve(Number(head.slice(9, 12)))
      bytes = bytes.subarray(end)
    }
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the connection was closed')))
}
