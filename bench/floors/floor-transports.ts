import { once } from 'node:events'
import { connect as connectH2 } from 'node:http2'
import { Agent, request } from 'node:https'
import { Pool } from 'undici'
import type { FloorClient, FloorConnection, FloorTransport } from './floor-case.ts'
import { rawTlsClient } from './raw-tls-client.ts'

/** Every client that is measured. */
export const floorTransports: Readonly<Record<FloorTransport, (options: FloorConnection) => Promise<FloorClient>>> = {
  'node:https': nodeHttpsClient,
  undici: undiciClient,
  'raw TLS sockets': (options) => rawTlsClient(options, { depth: 1 }),
  'raw TLS sockets, pipelined': (options) => rawTlsClient(options, { depth: 8 }),
  'HTTP/2': http2Client,
}

async function nodeHttpsClient({ server, ca, inFlight, headers }: FloorConnection): Promise<FloorClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight, ca })
  const { hostname, port } = new URL(server)
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const options = { agent, hostname, port, path, method: 'POST' }
        const outgoing = request({ ...options, headers: { ...headers, 'content-length': String(body.length) } })
        outgoing.once('error', reject)
        outgoing.once('response', (incoming) => {
          incoming.resume()
          incoming.once('end', () => resolve(incoming.statusCode ?? 0))
        })
        outgoing.end(body)
      }),
    close: () => agent.destroy(),
  }
}

async function undiciClient({ server, ca, inFlight, headers }: FloorConnection): Promise<FloorClient> {
  const pool = new Pool(server, { connections: inFlight, connect: { ca }, allowH2: false })
  return {
    async post(path, body) {
      const { statusCode, body: response } = await pool.request({ path, method: 'POST', headers, body })
      await response.dump()
      return statusCode
    },
    close: () => void pool.destroy(),
  }
}

async function http2Client({ server, ca, headers }: FloorConnection): Promise<FloorClient> {
  const session = connectH2(server, { ca })
  await once(session, 'connect')
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ...headers, ':method': 'POST', ':path': path })
        let status = 0
        stream.once('error', reject)
        stream.once('response', (response) => (status = response[':status'] ?? 0))
        stream.once('end', () => resolve(status))
        stream.resume()
        stream.end(body)
      }),
    close: () => session.destroy(),
  }
}
