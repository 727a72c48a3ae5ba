import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** An HTTP proxy on loopback that opens tunnels (CONNECT). */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string
  /** `host:port` of every requested tunnel. */
  readonly targets: readonly string[]
}

/**
 * Starts a proxy.
 *
 * @param user - The `name:password` that it requires. Default: none.
 * @param secrets - Key and certificate that make it an https proxy.
 */
export async function startConnectProxy(
  user?: string,
  secrets?: { readonly key: string; readonly cert: string },
): Promise<ConnectProxy> {
  const targets: string[] = []
  const sockets = new Set<Socket>()
  const server = secrets === undefined ? createServer() : createHttpsServer(secrets)
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? ''
    targets.push(target)
    sockets.add(client)
    client.on('error', () => undefined)
    const expected = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
    if (request.headers['proxy-authorization'] !== expected) {
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
    }
    const [host = '', port = ''] = target.split(':')
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    sockets.add(upstream)
    upstream.on('error', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    targets,
    url: `${secrets === undefined ? 'http' : 'https'}://${user === undefined ? '' : `${user}@`}127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
