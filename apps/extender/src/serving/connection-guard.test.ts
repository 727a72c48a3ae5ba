import { EventEmitter } from 'node:events'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { guardConnections } from './connection-guard.ts'

const MAX_UNPROVED = 256

interface FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly name: string
  isDestroyed: boolean
  destroy(): void
}

/** Opens connections whose TLS handshake is complete, from consecutive ports. */
function handshakes(server: EventEmitter, name: string, count: number, firstPort: number): readonly FakeSocket[] {
  return Array.from({ length: count }, (_, i) => {
    const socket: FakeSocket = Object.assign(new EventEmitter(), {
      remoteAddress: '10.0.0.1',
      remotePort: firstPort + i,
      name,
      isDestroyed: false,
      destroy() {
        socket.isDestroyed = true
        socket.emit('close')
      },
    })
    server.emit('connection', socket)
    server.emit('secureConnection', socket)
    return socket
  })
}

test('the oldest connection of a caller without an allowed name is closed for a newer one', () => {
  const server = new EventEmitter()
  let closed = 0
  guardConnections(server as Server, true, {
    maxConnections: 10,
    isAllowed: (socket: Socket) => (socket as unknown as FakeSocket).name === 'kube-scheduler',
    onClosed: (count) => (closed = count),
  })
  const [allowed] = handshakes(server, 'kube-scheduler', 1, 1_000)
  const others = handshakes(server, 'node-7', MAX_UNPROVED + 3, 2_000)
  expect(others.map(({ isDestroyed }) => isDestroyed)).toEqual(others.map((_, i) => i < 3))
  expect({ allowed: allowed?.isDestroyed, closed }).toEqual({ allowed: false, closed: 3 })
})
