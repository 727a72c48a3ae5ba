import { errorText } from '@berth/text/error-text'
import { connect, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import { ProxyError } from './proxy-error.ts'
import { endpointOf } from './url-endpoint.ts'

const SOCKS_PORT = 1080

/**
 * Opens a tunnel to `host:port` through a SOCKS5 proxy; the proxy resolves names.
 *
 * @param proxyUrl - `socks5://`; user and password are sent if it contains them.
 * @throws ProxyError if the proxy cannot be reached or refuses; `signal`'s reason if it aborts.
 */
export async function openSocksTunnel(
  proxyUrl: string,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const url = new URL(proxyUrl)
  const proxy = {
    ...endpointOf(url, SOCKS_PORT),
    type: 5 as const,
    ...(url.username === ''
      ? {}
      : { userId: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }),
  }
  const socket = connect({ host: proxy.host, port: proxy.port })
  const giveUp = (): void => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const destination = { host, port }
    await SocksClient.createConnection({ command: 'connect', proxy, destination, existing_socket: socket })
    return socket
  } catch (cause) {
    socket.destroy()
    if (signal.aborted) throw signal.reason
    const reason = errorText(cause)
    throw new ProxyError(proxyUrl, `cannot connect to ${host}:${port}: ${reason}`, cause)
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
