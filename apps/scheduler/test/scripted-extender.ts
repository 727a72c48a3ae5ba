import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestCluster } from './test-cluster.ts'

/** A call that the extender received. */
export interface ReceivedCall {
  readonly verb: string
  readonly body: Readonly<Record<string, unknown>>
}

/** An extender on loopback whose responses the test provides. */
export interface ScriptedExtender extends AsyncDisposable {
  readonly url: string
  readonly calls: ReceivedCall[]
  /** Number of TCP connections so far. */
  connections(): number
  /** Number of calls that the caller gave up before their response. */
  abandoned(): number
}

/**
 * The response to a call, or its promise: a value to send as JSON, a string to send unchanged, a status without a body,
 * or undefined for no response.
 */
export type ScriptedAnswer = (call: ReceivedCall) => unknown

export async function startScriptedExtender(answer: ScriptedAnswer): Promise<ScriptedExtender> {
  const calls: ReceivedCall[] = []
  let connections = 0
  let abandoned = 0
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableEnded) abandoned++
    })
    void (async () => {
      const text = await readBody(request)
      const call = { verb: (request.url ?? '').slice(1), body: JSON.parse(text) as ReceivedCall['body'] }
      calls.push(call)
      const result = await answer(call)
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
    abandoned: () => abandoned,
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

/** Polls every few milliseconds for half a minute, because real sockets need real time. */
export async function eventually<T>(
  cluster: Pick<TestCluster, 'settle'>,
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    await cluster.settle()
    const value = await read()
    if (isDone(value) || tries > 6_000) return value
    await sleep(5)
  }
}
