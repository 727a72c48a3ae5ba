import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect as connectHttp2, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@berth/clock'
import { BerthError, silentLogger } from '@berth/types'
import { createDeviceTable } from '../../src/devices/device-table.ts'
import { checkSocket } from '../../src/plugin-server/check-socket.ts'
import { startPluginServer } from '../../src/plugin-server/plugin-server.ts'

const resourceName = 'example.com/dongle'
const PATHS = [
  '/v1beta1.DevicePlugin/GetDevicePluginOptions',
  '/v1beta1.DevicePlugin/Allocate',
  '/v1beta1.DevicePlugin/GetPreferredAllocation',
  '/v1beta1.DevicePlugin/PreStartContainer',
  '/v1beta1.DevicePlugin/ListAndWatch',
  '/pluginregistration.Registration/GetInfo',
  '/pluginregistration.Registration/NotifyRegistrationStatus',
  '/v1beta1.DevicePlugin/Gone',
]
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
/** A call or a connection that the server leaves open for longer is not answered. */
const OPEN_MS = 5_000
/** Time in which the server closes a connection by itself. A kubelet keeps a good one open. */
const RAW_MS = 3

/** The server ended the call with an error status, or the input is a connection without a call. */
class FrameRefusal extends BerthError {
  constructor(reason: string) {
    super(reason, { code: 'BERTH_FUZZ_FRAME' })
  }
}

export const contract: string =
  'The server ends each call with a status of gRPC, whatever frames it has, and still answers a good call on another connection.'
export const refusals: readonly unknown[] = [FrameRefusal]
export const dictionary: readonly string[] = [
  PREFACE,
  '\0\0\0\x04\0\0\0\0\0',
  '\0\0\x04\x08\0\0\0\0\0\0\0\0\x01',
  '\0\0\x08\x06\0\0\0\0\0',
  '\0\0\0\x01\x05\0\0\0\x01',
  '\0\0\0\0\x01\0\0\0\x01',
  '\0\0\0\0\x05',
  '\x01\0\0\0\0',
  '\0\xff\xff\xff\xff',
  '\n\x03\n\x01a',
  '\n\x06\n\x01a\n\x01b',
  '\x12\x01a',
  '\x18\x02',
]

/** The server, and the connection of the calls. */
interface Served {
  readonly socketPath: string
  readonly session: ClientHttp2Session
}

let served: Promise<Served> | undefined

async function serve(): Promise<Served> {
  const clock = systemClock()
  const table = createDeviceTable({ resourceName, keepMissingMs: 0, clock, log: silentLogger })
  table.update(['a', 'b', 'c'].map((id) => ({ id, health: 'Healthy' })))
  const nothing = (): void => undefined
  const { socketPath } = await startPluginServer({
    socketPath: join(mkdtempSync(join(tmpdir(), 'frames-')), 's.sock'),
    resourceName,
    table,
    source: { allocate: (ids) => ({ env: { IDS: ids.join(' ') } }) },
    allocationPolicy: () => 'pack',
    clock,
    log: silentLogger,
    events: { onStreamsChanged: nothing, onRegistrationStatus: nothing, onAllocated: nothing, onListSent: nothing },
  })
  return { socketPath, session: await openSession(socketPath) }
}

async function openSession(socketPath: string): Promise<ClientHttp2Session> {
  const session = connectHttp2('http://localhost', { createConnection: () => connect(socketPath) })
  session.on('error', () => undefined)
  await once(session, 'connect')
  session.unref()
  return session
}

/**
 * The first byte chooses a call, and the rest is what its stream carries: frames of gRPC. From 128 on, the input without this
 * byte is what a connection carries: frames of HTTP/2.
 */
export async function parse(input: Uint8Array): Promise<Served> {
  let connected = await (served ??= serve())
  const [first = 0, ...rest] = input
  if (first >= 128) {
    await sendRaw(connected.socketPath, Uint8Array.from(rest))
    await checkAnswers(connected)
    throw new FrameRefusal('a connection without a call')
  }
  if (connected.session.closed || connected.session.destroyed) {
    connected = { ...connected, session: await openSession(connected.socketPath) }
    served = Promise.resolve(connected)
  }
  const status = await call(connected.session, PATHS[first % PATHS.length] ?? '', Uint8Array.from(rest))
  assert.match(status, /^\d+$/, `the call ended without a status of gRPC: ${status}`)
  if (status !== '0') {
    await checkAnswers(connected)
    throw new FrameRefusal(`status ${status}`)
  }
  return connected
}

export const verify = checkAnswers

async function checkAnswers({ socketPath }: Served): Promise<void> {
  assert.equal(await checkSocket(socketPath, AbortSignal.timeout(OPEN_MS)), undefined)
}

/** Returns the status of a call; OK for an open stream that has sent a message. */
async function call(session: ClientHttp2Session, path: string, body: Uint8Array): Promise<string> {
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: path,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  const status = statusOf(stream, path.endsWith('/ListAndWatch'))
  stream.end(body)
  try {
    return await status
  } finally {
    stream.destroy()
  }
}

function statusOf(stream: ClientHttp2Stream, isStreaming: boolean): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(`open after ${OPEN_MS} ms`), OPEN_MS)
    const end = (status: string): void => {
      clearTimeout(timer)
      resolve(status)
    }
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      const status = headers['grpc-status']
      if (typeof status === 'string') end(status)
    }
    stream.on('response', read).on('trailers', read)
    stream.on('data', () => {
      if (isStreaming) end('0')
    })
    stream.on('error', (error) => end(error.message)).on('close', () => end(`closed with code ${stream.rstCode}`))
  })
}

/** Sends bytes on a connection of their own, which the server or this function closes. */
async function sendRaw(socketPath: string, bytes: Uint8Array): Promise<void> {
  const socket = connect(socketPath)
  socket.on('error', () => undefined).resume()
  const closed = new Promise((resolve) => void socket.on('close', resolve))
  socket.write(bytes)
  await Promise.race([closed, new Promise((resolve) => void setTimeout(resolve, RAW_MS))])
  socket.destroy()
  await closed
}
