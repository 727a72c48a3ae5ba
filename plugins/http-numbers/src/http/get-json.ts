import { printableLine } from '@berth/text/printable'
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Credentials } from './read-credentials.ts'

const MAX_REASON_LENGTH = 300
const MAX_STATUS_LENGTH = 100

/** Options of {@link getJson}. */
export interface GetJsonOptions {
  readonly credentials: Credentials
  readonly maxBodyBytes: number
  /** Ends the request. */
  readonly signal: AbortSignal
}

/**
 * Sends a GET request and reads the answer as JSON. Follows no redirect, because it may lead to a server that is not
 * allowed.
 *
 * @throws Error naming the URL without its query, for a failed connection, a status other than 200, a body that is longer
 * than the limit, and a body that is not JSON. The message never has the credentials, even if the server repeats them.
 */
export async function getJson(url: URL, { credentials, maxBodyBytes, signal }: GetJsonOptions): Promise<unknown> {
  const what = `GET ${url.origin}${url.pathname}`
  try {
    const response = await send(url, credentials, signal)
    const body = await readBody(response, { maxBodyBytes, credentials })
    return JSON.parse(body) as unknown
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(`${what}: ${error instanceof SyntaxError ? 'the answer is not JSON' : (error as Error).message}`, {
      cause: error,
    })
  }
}

function send(url: URL, { authorization, ...tls }: Credentials, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      signal,
      headers: { accept: 'application/json', ...(authorization !== undefined && { authorization }) },
    }
    const request = url.protocol === 'https:' ? requestHttps(url, { ...options, ...tls }) : requestHttp(url, options)
    request.once('response', resolve).once('error', reject).end()
  })
}

/** Returns the start of an error's body. Prometheus says there what is wrong with the query. */
async function readReason(response: IncomingMessage): Promise<string> {
  for await (const chunk of response as AsyncIterable<Buffer>) return chunk.toString('utf8')
  return ''
}

/** Returns a short line of what the server wrote, without the credentials that it may repeat. */
function shownLine(text: string, maxLength: number, { authorization = '' }: Credentials): string {
  const [, secret = ''] = authorization.split(' ')
  const hidden = secret === '' ? text : text.replaceAll(secret, '***')
  return printableLine(hidden).trim().slice(0, maxLength).toWellFormed()
}

async function readBody(
  response: IncomingMessage,
  { maxBodyBytes, credentials }: Pick<GetJsonOptions, 'maxBodyBytes' | 'credentials'>,
): Promise<string> {
  const { statusCode = 0, statusMessage = '', headers } = response
  if (statusCode !== 200) {
    const isRedirect = headers.location !== undefined
    const body = isRedirect ? '' : shownLine(await readReason(response), MAX_REASON_LENGTH, credentials)
    const reason = isRedirect ? ', a redirect that is not followed' : body === '' ? '' : `: ${body}`
    // A connection whose answer is not read stays open.
    response.destroy()
    const status = shownLine(statusMessage, MAX_STATUS_LENGTH, credentials)
    throw new Error(`the server answered ${statusCode} ${status}${reason}`)
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > maxBodyBytes) throw new Error(`the answer has more than ${maxBodyBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
