import { request } from 'node:https'
import type { CallWebhook } from './create-webhook-calls.ts'

const MAX_RESPONSE_BYTES = 3 * 1024 * 1024

/** Posts a review over HTTPS, on a new connection. Errors have the wording of Go's HTTP client. */
export const callWebhook: CallWebhook = (target, review) => {
  const { url, ca, serverName, timeoutMs } = target
  const requestUrl = `${url}${url.includes('?') ? '&' : '?'}timeout=${timeoutMs / 1000}s`
  const failed = (why: string): Error => new Error(`failed to call webhook: Post ${JSON.stringify(requestUrl)}: ${why}`)
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(review)
    const outgoing = request(
      requestUrl,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        agent: false,
        signal: AbortSignal.timeout(timeoutMs),
        ...(ca === undefined ? {} : { ca }),
        ...(serverName === undefined ? {} : { servername: serverName }),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > MAX_RESPONSE_BYTES) outgoing.destroy(new Error('the response is too large'))
        })
        response.once('end', () => {
          if (response.statusCode !== 200) {
            reject(new Error(`failed to call webhook: the server rejected our request: status ${response.statusCode}`))
            return
          }
          try {
            resolve(JSON.parse(text) as unknown)
          } catch {
            reject(new Error('failed to call webhook: the response is not JSON'))
          }
        })
      },
    )
    outgoing.once('error', (error: NodeJS.ErrnoException) => reject(failed(goErrorText(error, url))))
    outgoing.end(body)
  })
}

function goErrorText(error: NodeJS.ErrnoException, url: string): string {
  const { hostname, port } = new URL(url)
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded'
  if (error.code === 'ECONNREFUSED') return `dial tcp ${hostname}:${port}: connect: connection refused`
  if (/CERT|SIGNATURE|ISSUER|ALTNAME/.test(error.code ?? '')) {
    return `tls: failed to verify certificate: ${error.message}`
  }
  return error.message
}
