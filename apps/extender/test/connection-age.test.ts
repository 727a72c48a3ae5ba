import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chooseServingMode, type ServingMode } from '../src/serving-mode.ts'
import { filesIn, type Keys, selfSigned } from './test-certificates.ts'
import { createTestApi, startTestExtender } from './test-extender.ts'

const AGE_MS = 60_000
const sent = JSON.stringify({ Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] })
const dir = mkdtempSync(join(tmpdir(), 'berth-age-'))
let server: Keys
let caller: Keys
let servingMode: ServingMode

beforeAll(async () => {
  ;[server, caller] = await Promise.all([selfSigned('server'), selfSigned('kube-scheduler')])
  servingMode = chooseServingMode(filesIn(dir, server, caller))
})
afterAll(() => rmSync(dir, { recursive: true }))

const [DATA, HEADERS, SETTINGS, GOAWAY] = [0, 1, 4, 7]
const [END_STREAM, END_HEADERS] = [1, 4]

/** Returns a frame of HTTP/2. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Returns the start of a call: POST, https, and as literals the host, the path and the content type. */
function headersFrame(stream: number): Buffer {
  const literal = (text: string): readonly number[] => [text.length, ...Buffer.from(text)]
  const literals = [
    0x01,
    ...literal('extender'),
    0x04,
    ...literal('/filter'),
    0x0f,
    0x10,
    ...literal('application/json'),
  ]
  return frame(HEADERS, END_HEADERS, stream, Buffer.from([0x83, 0x87, ...literals]))
}

const bodyFrame = (stream: number): Buffer => frame(DATA, END_STREAM, stream, Buffer.from(sent))

/** Returns the last stream that the notice in these bytes names; undefined without a notice. */
function noticedStream(bytes: Buffer): number | undefined {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    if (bytes.readUInt8(at + 3) === GOAWAY) return bytes.readUInt32BE(at + 9)
  return undefined
}

test('an HTTP/2 connection ends at its age: the notice names the last call, which is answered', async () => {
  await using extender = await startTestExtender({ servingMode, maxConnectionAgeMs: AGE_MS })
  const [host = '', port] = extender.address.split(':')
  const socket = connect({ host, port: Number(port), ca: server.cert, ...caller, ALPNProtocols: ['h2'] })
  await once(socket, 'secureConnect')
  let received = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => (received = Buffer.concat([received, bytes])))
  const ended = once(socket, 'end')
  socket.write(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`)
  socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)))
  const answers = (): number => received.toString().split('"Error":""').length - 1
  await extender.clock.advance(AGE_MS - 1_000)
  // The answer of another call shows that the server has seen the first one.
  socket.write(Buffer.concat([headersFrame(1), headersFrame(3), bodyFrame(3)]))
  await expect.poll(answers).toBe(1)
  await extender.clock.advance(999)
  expect(noticedStream(received)).toBeUndefined()
  await extender.clock.advance(1)
  await expect.poll(() => noticedStream(received)).toBe(3)
  socket.write(bodyFrame(1))
  await expect.poll(answers).toBe(2)
  await extender.clock.advance(5_000)
  await ended
  socket.destroy()
})

test('a call that crosses the notice, which does not name it, is not carried out', async () => {
  const { clock, api } = createTestApi()
  let atItsAge = (): void => undefined
  // The server reads from its sockets between the timer that submits the notice and the end of the turn, which sends it.
  const setTimer: typeof clock.setTimer = (ms, callback) =>
    clock.setTimer(ms, () => {
      if (ms === AGE_MS) atItsAge()
      callback()
    })
  await using extender = await startTestExtender({
    on: { clock: { ...clock, setTimer }, api },
    servingMode,
    maxConnectionAgeMs: AGE_MS,
  })
  const [host = '', port] = extender.address.split(':')
  const socket = connect({ host, port: Number(port), ca: server.cert, ...caller, ALPNProtocols: ['h2'] })
  await once(socket, 'secureConnect')
  let received = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => (received = Buffer.concat([received, bytes])))
  socket.write(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`)
  socket.write(Buffer.concat([frame(SETTINGS, 0, 0, Buffer.alloc(0)), headersFrame(1), bodyFrame(1)]))
  await expect.poll(() => received.toString()).toContain('"Error":""')
  atItsAge = () => socket.write(Buffer.concat([headersFrame(3), bodyFrame(3)]))
  await clock.advance(AGE_MS)
  await expect.poll(() => noticedStream(received)).toBe(1)
  const ended = once(socket, 'end')
  await clock.advance(5_000)
  await ended
  socket.destroy()
  const metrics = await extender.metrics.registry.metrics()
  expect(metrics).toContain('berth_extender_calls_total{verb="filter",result="ok"} 1')
  expect(extender.lines.map(({ message }) => message)).not.toContain('Request failed')
})

test('an HTTP/1.1 connection ends with its first response after its age', async () => {
  await using extender = await startTestExtender({ servingMode, maxConnectionAgeMs: AGE_MS })
  const agent = new Agent({ ca: server.cert, ...caller, keepAlive: true, maxSockets: 1 })
  const call = async (): Promise<string | undefined> => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
    const one = request(`https://${extender.address}/filter`, { method: 'POST', agent, headers })
    one.end(sent)
    const [response] = (await once(one, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    await text(response)
    return response.headers.connection
  }
  expect([await call(), await call()]).toEqual(['keep-alive', 'keep-alive'])
  await extender.clock.advance(AGE_MS)
  expect(await call()).toBe('close')
  expect(await call()).toBe('keep-alive')
  agent.destroy()
})
