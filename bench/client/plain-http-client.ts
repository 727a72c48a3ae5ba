import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { ClusterAccess } from '@berth/k8s-client'

/** A client that only sends POST requests over kept-alive connections, as a baseline for the speed of real clients. */
export interface PlainHttpClient {
  /** @returns The HTTP status. */
  post(path: string, body: unknown): Promise<number>
  close(): void
}

/** Creates a client with a pool of `connections` connections. */
export async function plainHttpClient(access: ClusterAccess, connections: number): Promise<PlainHttpClient> {
  const { headers } = await access.credentials()
  const { hostname, port } = new URL(access.server)
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca: access.ca })
  return {
    async post(path, body) {
      const text = JSON.stringify(body)
      const length = String(Buffer.byteLength(text))
      const outgoing = request({
        agent,
        hostname,
        port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
      })
      outgoing.end(text)
      const [response] = (await once(outgoing, 'response')) as [
        NodeJS.ReadableStream & { readonly statusCode?: number },
      ]
      response.resume()
      await once(response, 'end')
      return response.statusCode ?? 0
    },
    close: () => agent.destroy(),
  }
}
