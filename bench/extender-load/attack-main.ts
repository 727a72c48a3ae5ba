/** Attacks an extender until it is stopped: `attack-main.ts KIND PORT CA CERT KEY`. Prints what it did at the end. */
import { readFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { setTimeout as pause } from 'node:timers/promises'

const [kind = '', port = '', ca = '', cert = '', key = ''] = process.argv.slice(2)
const target = { host: '127.0.0.1', port: Number(port) }
const tls = { ...target, ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) }
const HEAD = 'POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const IDLE_CONNECTIONS = 10_000
const NAMES = 1_200_000
const LARGE_BODY_BYTES = 100 * 1024 * 1024
/** Connections that send whole requests, one after another. */
const SENDERS = 8
const SLOW_CONNECTIONS = 200
/** Number of bodies: together they are larger than what the extender accepts at once. */
const HELD_BODIES = 8
const HELD_BODY_BYTES = 15 * 1024 * 1024
const counts: Record<string, number> = {}
const stopped = new AbortController()

const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1)

/** Opens a TLS connection with the client certificate. Its errors are counted. */
function open(): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ ...tls, ALPNProtocols: ['http/1.1'] }, () => resolve(socket))
    socket.on('error', (error) => {
      count('errors')
      reject(error)
    })
  })
}

/** Sends a request, all of it even if the server answers earlier, and waits until the server answers or closes the connection. */
async function send(body: Buffer): Promise<void> {
  const socket = await open()
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const answered = new Promise<void>((resolve) => void socket.once('data', () => resolve()))
  socket.write(`${HEAD}Content-Length: ${body.length}\r\n\r\n`)
  const written = new Promise<void>((resolve) => void socket.write(body, () => resolve()))
  await Promise.race([closed, Promise.all([answered, written])])
  socket.destroy()
  count('requests')
}

/** Sends a request over several connections again and again, until the attack is stopped. */
async function sendAll(body: Buffer): Promise<void> {
  const sendAgain = async (): Promise<void> => {
    while (!stopped.signal.aborted) await send(body).catch(() => pause(100))
  }
  await Promise.all(Array.from({ length: SENDERS }, sendAgain))
}

const attacks: Readonly<Record<string, () => Promise<void>>> = {
  /** Keeps 10,000 connections open that send nothing. A connection that the server closes is opened again. */
  async idle() {
    const sockets = new Set<Socket>()
    const openOne = (): void => {
      const socket = connectTcp(target)
      sockets.add(socket)
      socket.on('error', () => count('errors'))
      socket.once('connect', () => count('connections'))
      socket.once('close', () => sockets.delete(socket))
    }
    while (!stopped.signal.aborted) {
      for (let i = 0; i < 100 && sockets.size < IDLE_CONNECTIONS; i++) openOne()
      await pause(20)
    }
  },
  async 'large-bodies'() {
    await sendAll(Buffer.alloc(LARGE_BODY_BYTES, 'x'))
  },
  async names() {
    const NodeNames = Array.from({ length: NAMES }, (_, i) => i.toString(36))
    await sendAll(Buffer.from(JSON.stringify({ Pod: { metadata: {}, spec: { containers: [] } }, NodeNames })))
  },
  /** Sends requests byte by byte over many connections, and opens those again that the server closes. */
  async 'slow-loris'() {
    const sockets = new Set<TLSSocket>()
    while (!stopped.signal.aborted) {
      if (sockets.size < SLOW_CONNECTIONS) {
        const socket = await open().catch(() => undefined)
        if (socket !== undefined) {
          sockets.add(socket)
          socket.once('close', () => sockets.delete(socket))
          socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`)
          count('connections')
        }
      }
      for (const socket of sockets) socket.write(' ')
      await pause(20)
    }
  },
  /** Sends all but the last byte of the largest bodies, and opens connections again that the server closes. */
  async 'held-bodies'() {
    const sockets = new Set<TLSSocket>()
    const body = Buffer.alloc(HELD_BODY_BYTES - 1, ' ')
    while (!stopped.signal.aborted) {
      if (sockets.size < HELD_BODIES) {
        const socket = await open().catch(() => undefined)
        if (socket !== undefined) {
          sockets.add(socket)
          socket.once('close', () => sockets.delete(socket))
          socket.write(`${HEAD}Content-Length: ${HELD_BODY_BYTES}\r\n\r\n`)
          socket.write(body)
          count('connections')
        }
      }
      await pause(20)
    }
  },
}

process.once('SIGTERM', () => {
  stopped.abort()
  process.stdout.write(`${JSON.stringify({ msg: 'stopped', ...counts })}\n`, () => process.exit(0))
})
process.stdout.write('{"msg":"attacking"}\n')
await attacks[kind]?.()
