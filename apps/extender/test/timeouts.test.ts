import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ServerTimes } from '../src/server.ts'
import { chooseServingMode } from '../src/serving-mode.ts'
import { post, startTestExtender, type TestExtender } from './test-extender.ts'
import { filesIn, selfSigned } from './test-certificates.ts'

const LONG_MS = 60_000
const unlimited: ServerTimes = { handshakeMs: LONG_MS, headersMs: LONG_MS, requestMs: LONG_MS, checkMs: 20 }
const headers = 'POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n'
const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] }

async function open({ address }: TestExtender): Promise<Socket> {
  const socket = connect({ port: Number(address.split(':').at(-1)), host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends the text, and returns what the server sent until it closed the connection. */
async function sendUntilClosed(extender: TestExtender, text: string): Promise<string> {
  const socket = await open(extender)
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  const closed = once(socket, 'close')
  if (text !== '') socket.write(text)
  await closed
  return received
}

test.for([
  { it: 'sends nothing', times: { headersMs: 100 }, text: '' },
  { it: 'does not end its headers', times: { headersMs: 100 }, text: headers },
  { it: 'does not end its body', times: { headersMs: 100, requestMs: 200 }, text: `${headers}\r\n{` },
])('closes the connection of a caller that $it in time, and serves others', async ({ times, text }) => {
  await using extender = await startTestExtender({ times: { ...unlimited, ...times } })
  expect(await sendUntilClosed(extender, text)).toMatch(/^$|^HTTP\/1\.1 408 /)
  const answer = await post(extender.address, '/filter', body)
  expect(answer.json()).toMatchObject({ Error: '' })
})

test('keeps the connection of a caller that is within its times', async () => {
  await using extender = await startTestExtender({ times: unlimited })
  const socket = await open(extender)
  const text = JSON.stringify(body)
  socket.write(`${headers.replace('100', `${text.length}`)}\r\n${text.slice(0, 10)}`)
  // The server has answered another caller, and has had time to check its connections.
  await post(extender.address, '/filter', body)
  socket.write(text.slice(10))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
})

test('closes a connection without a TLS handshake in time, and serves others', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const [server, caller] = await Promise.all([selfSigned('server'), selfSigned('kube-scheduler')])
    const servingMode = chooseServingMode(filesIn(dir, server, caller))
    await using extender = await startTestExtender({ servingMode, times: { ...unlimited, handshakeMs: 100 } })
    expect(await sendUntilClosed(extender, '')).toBe('')
    await using strict = await startTestExtender({ servingMode })
    const answer = await post(strict.address, '/filter', body, { tls: { ca: server.cert, ...caller } })
    expect(answer.json()).toMatchObject({ Error: '' })
  } finally {
    rmSync(dir, { recursive: true })
  }
})
