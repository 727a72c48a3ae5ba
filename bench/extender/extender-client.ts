import type { KeyPair } from '@berth/e2e/real-scheduler/certificates'
import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import { text } from 'node:stream/consumers'

/** Calls an extender over one HTTP/2 connection, as kube-scheduler does. */
export interface ExtenderClient extends Disposable {
  /** Sends a body and returns the time to the complete response, milliseconds, and the response. */
  call(verb: string, body: string): Promise<{ readonly ms: number; readonly response: unknown }>
}

/** Windows of Go's client (golang.org/x/net/http2, v0.38). With smaller ones, a response with 5,000 names takes round trips. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024
const CONNECTION_WINDOW_BYTES = 1024 * 1024 * 1024

/** Connects with a client certificate. */
export async function connectToExtender(port: number, ca: string, caller: KeyPair): Promise<ExtenderClient> {
  const settings = { initialWindowSize: STREAM_WINDOW_BYTES }
  const session: ClientHttp2Session = connect(`https://127.0.0.1:${port}`, { ca, ...caller, settings })
  session.on('error', () => undefined)
  await once(session, 'connect')
  session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
  return {
    async call(verb, body) {
      const startMs = performance.now()
      const stream = session.request({
        ':method': 'POST',
        ':path': `/${verb}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      stream.end(body)
      const received = await text(stream)
      return { ms: performance.now() - startMs, response: JSON.parse(received) as unknown }
    },
    [Symbol.dispose]: () => session.close(),
  }
}

/** Returns the body of a filter or prioritize call for a pod with one unit of a resource. */
export function nodesBody(nodes: number, resource = 'example.com/dongle'): string {
  const amounts = { [resource]: '1' }
  const resources = { requests: amounts, limits: amounts }
  const Pod = {
    metadata: { name: 'web', namespace: 'default', uid: 'a4f5c2d8-0000-4000-8000-000000000000' },
    spec: { containers: [{ name: 'main', image: 'none', resources }] },
    status: { phase: 'Pending' },
  }
  return JSON.stringify({ Pod, Nodes: null, NodeNames: Array.from({ length: nodes }, (_, i) => `node-${i}`) })
}
