import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** A proxy on loopback that opens tunnels. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string
  /** `host:port` of every tunnel asked for. */
  readonly asked: readonly string[]
}

/**
 * Starts one.
 *
 * @param user - `name:password` that it wants; undefined means nobody is asked.
 * @param secrets - Makes it an https proxy.
 */
export async function startConnectProxy(
  user?: string,
  secrets?: { readonly key: string; readonly cert: string },
): Promise<ConnectProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = secrets === undefined ? createServer() : createHttpsServer(secrets)
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? ''
    asked.push(target)
    sockets.add(client)
    client.on('error', () => undefined)
    const wanted = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
    if (request.headers['proxy-authorization'] !== wanted) {
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
    asked,
    url: `${secrets === undefined ? 'http' : 'https'}://${user === undefined ? '' : `${user}@`}127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
