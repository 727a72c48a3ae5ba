import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { ClusterAccess } from '@berth/k8s-client'

/** POSTs over kept connections and nothing else: what any client could reach at best. */
export interface BareCalls {
  /** @returns The HTTP status. */
  post(path: string, body: unknown): Promise<number>
  close(): void
}

/** Makes a pool of so many connections. */
export async function bareCalls(access: ClusterAccess, connections: number): Promise<BareCalls> {
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

/** Runs `task` over the items, `width` at a time. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await task(next.value)
  }
  await Promise.all(Array.from({ length: width }, work))
}
