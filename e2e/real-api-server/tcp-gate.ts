import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** `open`: bytes pass. `closed`: connections are refused. `mute`: bytes from the server are dropped. */
export type GateState = 'open' | 'closed' | 'mute'

/** A TCP proxy that simulates network failures between a client and a server. */
export interface TcpGate extends AsyncDisposable {
  readonly port: number
  /** Returns the number of connections accepted since the start. */
  connections(): number
  /** Returns when the last bytes of the server passed, as `performance.now()`; 0 if none did. */
  lastBytesAtMs(): number
  /** Changes the state. `closed` also resets every connection. */
  set(state: GateState): void
  /** Resets every connection. New connections are accepted. */
  cut(): void
  /** Resets every connection. New connections are forwarded to this port. */
  forwardTo(port: number): void
}

/** Opens a gate on a free loopback port that forwards to `targetPort`. */
export async function openTcpGate(targetPort: number): Promise<TcpGate> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: GateState = 'open'
  let target = targetPort
  let connections = 0
  let lastBytesAtMs = 0
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy()
  }
  const server = createServer((client) => {
    if (state === 'closed') return void client.resetAndDestroy()
    connections += 1
    const upstream = connect(target, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        pairs.delete(pair)
        for (const other of pair) other.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      if (state !== 'open') return
      lastBytesAtMs = performance.now()
      client.write(bytes)
    })
    upstream.once('end', () => client.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    lastBytesAtMs: () => lastBytesAtMs,
    set(next) {
      state = next
      if (next === 'closed') cut()
    },
    cut,
    forwardTo(port) {
      target = port
      cut()
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
