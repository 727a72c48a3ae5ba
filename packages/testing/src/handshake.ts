import { once } from 'node:events'
import { connect, createServer } from 'node:tls'

/** Certificate, key and authority of one side of a TLS connection, PEM. */
export interface TlsSide {
  /** The authorities that it trusts. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** Returns the side that has the decoded data of a Secret. */
export function tlsSide(data: Readonly<Record<string, string>> | undefined): TlsSide {
  return { ca: data?.['ca.crt'], cert: data?.['tls.crt'], key: data?.['tls.key'] }
}

/** Returns `welcome` if the two sides of a TLS connection accept each other, else the error. */
export async function handshake(server: TlsSide, client: TlsSide): Promise<string> {
  const listener = createServer(
    { ...server, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
    (socket) => {
      socket.on('error', () => undefined)
      socket.end('welcome')
    },
  )
  listener.on('tlsClientError', () => undefined)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    return await new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ...client })
      let heard = ''
      socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
      socket.once('error', (error) => resolve(error.message))
      socket.once('close', () => resolve(heard))
    })
  } finally {
    listener.close()
  }
}
