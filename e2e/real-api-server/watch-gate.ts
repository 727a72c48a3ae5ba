import { once } from 'node:events'
import { connect, createServer, type IncomingHttpHeaders, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** A proxy between an API server and etcd that can hold back what etcd reports to watches. Everything else passes. */
export interface WatchGate extends AsyncDisposable {
  readonly port: number
  /** Holds back events and progress notifications, so that the watch cache of the API server becomes stale. */
  hold(): void
  /** Passes on what was held back. */
  release(): void
}

const WATCH = '/etcdserverpb.Watch/Watch'

/** Opens a gate on a free loopback port that forwards gRPC without TLS to etcd. */
export async function openWatchGate(etcdPort: number): Promise<WatchGate> {
  const sessions = new Set<ServerHttp2Session>()
  const held: (() => void)[] = []
  let isHeld = false
  const server = createServer()
  server.on('session', (session) => {
    const upstream = connect(`http://127.0.0.1:${etcdPort}`)
    sessions.add(session)
    const end = (): void => {
      sessions.delete(session)
      session.destroy()
      upstream.destroy()
    }
    for (const each of [session, upstream]) each.on('error', end).once('close', end)
    session.on('stream', (stream, headers) => {
      if (upstream.destroyed) return stream.close()
      const call = upstream.request(headers, { endStream: false })
      const isWatch = headers[':path'] === WATCH
      let trailers: IncomingHttpHeaders = {}
      const pass = (step: () => void): void => void (isWatch && isHeld ? held.push(step) : step())
      for (const each of [stream, call]) each.on('error', () => undefined)
      stream.once('close', () => call.close())
      call.once('close', () => stream.end())
      stream.pipe(call)
      stream.once('wantTrailers', () => stream.sendTrailers(trailers))
      call.once('response', (response) => stream.respond(response, { waitForTrailers: true }))
      call.once('trailers', (received) => (trailers = received))
      call.on('data', (chunk: Uint8Array) => pass(() => stream.writable && stream.write(chunk)))
      call.once('end', () => pass(() => stream.end()))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => void (isHeld = true),
    release() {
      isHeld = false
      for (const step of held.splice(0)) step()
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
