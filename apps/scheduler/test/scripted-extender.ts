import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call that arrived. */
export interface ReceivedCall {
  readonly verb: string
  readonly body: Readonly<Record<string, unknown>>
}

/** An extender on loopback that answers what the test says. */
export interface ScriptedExtender extends AsyncDisposable {
  readonly url: string
  readonly calls: ReceivedCall[]
  /** TCP connections so far. */
  connections(): number
}

/** Answer of a scripted extender: JSON, a text as it is, a status without a body, or undefined for none at all. */
export type ScriptedAnswer = (call: ReceivedCall) => unknown

export async function startScriptedExtender(answer: ScriptedAnswer): Promise<ScriptedExtender> {
  const calls: ReceivedCall[] = []
  let connections = 0
  const server = createServer((request, response) => {
    void (async () => {
      const text = await readBody(request)
      const call = { verb: (request.url ?? '').slice(1), body: JSON.parse(text) as ReceivedCall['body'] }
      calls.push(call)
      const result = answer(call)
      if (result === undefined) return
      const body = typeof result === 'number' ? '' : typeof result === 'string' ? result : JSON.stringify(result)
      response.writeHead(typeof result === 'number' ? result : 200, { 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })()
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
