import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { ClusterAccess } from '../access/cluster-access.ts'
import { openSocksTunnel } from './open-socks-tunnel.ts'
import { ProxyError } from './proxy-error.ts'
import { endpointOf } from './url-endpoint.ts'

type ProxiedAccess = Pick<ClusterAccess, 'ca' | 'skipTlsVerify'> & { readonly proxyUrl: string }

/**
 * Opens a tunnel to `host:port` through the proxy of `access`: by CONNECT over http or https, or by SOCKS5. The
 * certificate of an https proxy may come from the cluster's authority, as with kubectl, or from a public one.
 *
 * @throws ProxyError if the proxy cannot be reached or refuses; `signal`'s reason if it aborts.
 */
export function openTunnel(access: ProxiedAccess, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { protocol } = new URL(access.proxyUrl)
  return protocol === 'http:' || protocol === 'https:'
    ? openHttpTunnel(access, host, port, signal)
    : openSocksTunnel(access.proxyUrl, host, port, signal)
}

function openHttpTunnel(access: ProxiedAccess, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { proxyUrl, ca, skipTlsVerify } = access
  const proxy = new URL(proxyUrl)
  const isTls = proxy.protocol === 'https:'
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const user = [proxy.username, proxy.password].map((part) => decodeURIComponent(part)).join(':')
  const trust = { rejectUnauthorized: !skipTlsVerify, ...(ca === undefined ? {} : { ca: [ca, ...rootCertificates] }) }
  return new Promise((resolve, reject) => {
    const refuse = (status: number | undefined): void =>
      reject(new ProxyError(proxyUrl, `refused to connect to ${target} (${status})`))
    const outgoing = (isTls ? httpsRequest : httpRequest)({
      method: 'CONNECT',
      ...endpointOf(proxy, isTls ? 443 : 80),
      path: target,
      headers: {
        host: target,
        ...(user === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
      },
      agent: false,
      signal,
      ...(isTls ? trust : {}),
    })
    outgoing.once('error', (cause) => reject(signal.aborted ? cause : new ProxyError(proxyUrl, cause.message, cause)))
    outgoing.once('response', ({ statusCode }) => {
      outgoing.destroy()
      refuse(statusCode)
    })
    outgoing.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      refuse(statusCode)
    })
    outgoing.end()
  })
}
