import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Start of a range below the ephemeral ports, so that no outgoing connection takes a port while its server is down. */
const FIRST_PORT = 15_000
const PORTS = 15_000

/** Returns free ports outside the ephemeral range, which stay free until a process requests them by number. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, FIRST_PORT + PORTS)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(server.close(), 'close')
    ports.add(port)
  }
  return [...ports]
}
