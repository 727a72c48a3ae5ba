import { once } from 'node:events'
import { connect, createServer } from 'node:tls'

/** The data of a Secret with a certificate. */
export type TlsData = Readonly<Record<string, string>> | undefined

/** Returns `welcome` if the two sides of a TLS connection accept each other, else the error. */
export async function handshake(server: TlsData, client: TlsData): Promise<string> {
  const side = (data: TlsData) => ({ ca: data?.['ca.crt'], cert: data?.['tls.crt'], key: data?.['tls.key'] })
  const listener = createServer(
    { ...side(server), requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
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
      const socket = connect({ host: '127.0.0.1', port, ...side(client) })
      let heard = ''
      socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
      socket.once('error', (error) => resolve(error.message))
      socket.once('close', () => resolve(heard))
    })
  } finally {
    listener.close()
  }
}
