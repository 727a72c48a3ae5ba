import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openH1Connection } from '../src/transport/h1-connection.ts'

test('closes the socket of a request that was in flight when the connection was retired', async () => {
  const responses: ServerResponse[] = []
  const closed: Promise<unknown>[] = []
  const server = createServer((_, response) => void responses.push(response))
  server.on('connection', (socket: Socket) => closed.push(once(socket, 'close')))
  // The server closes no idle connection by itself.
  server.keepAliveTimeout = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const connection = openH1Connection({ server: `http://127.0.0.1:${port}`, tls: undefined, maxSockets: 1 })
  const call = (): ReturnType<typeof connection.send> =>
    connection.send({ method: 'GET', path: '/', headers: {}, signal: AbortSignal.timeout(60_000) })
  // The second request waits for the socket of the first.
  const calls = [call(), call()]
  for (const [served, sent] of calls.entries()) {
    while (responses.length <= served) await once(server, 'request')
    connection.retire()
    responses[served]?.end('ok')
    for await (const _ of (await sent).body) continue
  }
  await Promise.all(closed)
  expect(closed).toHaveLength(1)
  connection.destroy()
  server.close()
})
