import { fakeClock } from '@berth/clock/testing'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { keepRegistered, type RegistrationOptions } from './keep-registered.ts'

const DAY_MS = 86_400_000

test.for([{ kubeletSocket: '/kubelet.sock' }, {}])(
  'a plugin whose stream stays open registers once, also after months: %j',
  async (socket) => {
    const clock = fakeClock()
    const stop = new AbortController()
    let servers = 0
    const options: RegistrationOptions = {
      resourceName: 'example.com/dongle',
      ...socket,
      sockets: { identity: async () => 'inode', watch: () => ({ [Symbol.dispose]: () => {} }) },
      async startServer({ onStreamsChanged }) {
        servers++
        onStreamsChanged(1)
        return { socketPath: '/berth.sock', [Symbol.asyncDispose]: async () => {} }
      },
      register: async () => {},
      clock,
      random: () => 0.5,
      log: silentLogger,
      onResult: () => {},
    }
    const registered = keepRegistered(options, { streams: 0, problem: '' }, stop.signal)
    for (let day = 0; day < 100; day++) await clock.advance(DAY_MS)
    expect(servers).toBe(1)
    stop.abort()
    await registered
  },
)
