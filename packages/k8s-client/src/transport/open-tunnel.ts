import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Asks an HTTP proxy for a way through to `host:port` (CONNECT).
 *
 * @param proxyUrl - `http://` or `https://`; its user and password become basic authentication.
 * @throws Error when the proxy cannot be reached or refuses; `signal`'s reason when it aborts.
 */
export function openTunnel(proxyUrl: string, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const proxy = new URL(proxyUrl)
  const isTls = proxy.protocol === 'https:'
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const name = `proxy ${proxy.host}`
  const user = [proxy.username, proxy.password].map((part) => decodeURIComponent(part)).join(':')
  return new Promise((resolve, reject) => {
    const asking = (isTls ? httpsRequest : httpRequest)({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? (isTls ? 443 : 80) : Number(proxy.port),
      path: target,
      headers: {
        host: target,
        ...(user === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
      },
      agent: false,
      signal,
    })
    asking.once('error', (cause) => reject(signal.aborted ? cause : new Error(`${name}: ${cause.message}`, { cause })))
    asking.once('response', ({ statusCode }) => {
      asking.destroy()
      reject(new Error(`${name} refused to connect to ${target} (${statusCode})`))
    })
    asking.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`${name} refused to connect to ${target} (${statusCode})`))
    })
    asking.end()
  })
}
