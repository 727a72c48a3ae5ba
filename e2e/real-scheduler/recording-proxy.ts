import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, request, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One call of kube-scheduler and the response that it got. */
export interface RecordedCall {
  readonly verb: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly response: string
}

/** An HTTPS server that forwards calls to an extender and keeps a copy of them. */
export interface RecordingProxy extends AsyncDisposable {
  readonly port: number
  readonly calls: readonly RecordedCall[]
}

/** Starts a proxy with its certificate, and that of a caller for the extender. */
export async function startRecordingProxy(
  targetPort: number,
  tls: Required<Pick<ServerOptions, 'cert' | 'key' | 'ca'>>,
): Promise<RecordingProxy> {
  const calls: RecordedCall[] = []
  const forward = async (incoming: IncomingMessage): Promise<string> => {
    const body = await text(incoming)
    const path = incoming.url ?? '/'
    const sent = request({
      host: '127.0.0.1',
      port: targetPort,
      path,
      method: 'POST',
      ...tls,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const response = await text(answer)
    const headers = Object.entries(incoming.headers).filter(([name]) => name !== 'host')
    calls.push({
      verb: path.slice(1),
      headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
      body,
      response,
    })
    return response
  }
  const server = createServer({ ...tls, requestCert: true }, (incoming, outgoing) => {
    forward(incoming).then(
      (response) => outgoing.end(response),
      () => outgoing.writeHead(502).end(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
