import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A SOCKS5 proxy on loopback (RFC 1928, RFC 1929). */
export interface SocksProxy extends AsyncDisposable {
  readonly url: string
  /** `host:port` of every requested tunnel; names are not resolved. */
  readonly targets: readonly string[]
}

const [IPV4, NAME] = [1, 3]
const [SUCCEEDED, NOT_ALLOWED] = [0, 2]

/** Starts a proxy. `user` is the `name:password` that it requires; with `refuses` it refuses every tunnel. */
export async function startSocksProxy(
  options: { readonly user?: string; readonly refuses?: boolean } = {},
): Promise<SocksProxy> {
  const { user, refuses = false } = options
  const targets: string[] = []
  const sockets = new Set<Socket>()

  const serve = async (client: Socket): Promise<void> => {
    const next = async (): Promise<Buffer> => {
      const [bytes] = (await once(client, 'data')) as [Buffer]
      return bytes
    }
    const methods = (await next()).subarray(2)
    const method = user === undefined ? 0 : 2
    client.write(Buffer.from([5, methods.includes(method) ? method : 0xff]))
    if (user !== undefined) {
      const login = await next()
      const nameLength = login[1] ?? 0
      const name = login.toString('utf8', 2, 2 + nameLength)
      const password = login.toString('utf8', 3 + nameLength)
      const isKnown = `${name}:${password}` === user
      client.write(Buffer.from([1, isKnown ? 0 : 1]))
      if (!isKnown) return
    }
    const request = await next()
    const isName = request[3] === NAME
    const end = isName ? 5 + (request[4] ?? 0) : 8
    const host = isName ? request.toString('utf8', 5, end) : [...request.subarray(4, end)].join('.')
    const port = request.readUInt16BE(end)
    targets.push(`${host}:${port}`)
    const reply = (code: number): unknown => client.write(Buffer.from([5, code, 0, IPV4, 0, 0, 0, 0, 0, 0]))
    if (refuses) return void reply(NOT_ALLOWED)
    const upstream = connect(port, host).on('error', () => client.destroy())
    sockets.add(upstream)
    await once(upstream, 'connect')
    reply(SUCCEEDED)
    client.pipe(upstream).pipe(client)
  }
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined))
    void serve(client).catch(() => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    targets,
    url: `socks5://${user === undefined ? '' : `${user}@`}127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
