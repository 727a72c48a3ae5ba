import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

/** A response with its whole body. */
export interface UiResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Sends a request with any headers, also those that `fetch` sets itself, such as Host. */
export async function uiRequest(
  url: string,
  { method = 'GET', headers = {} }: { readonly method?: string; readonly headers?: OutgoingHttpHeaders } = {},
): Promise<UiResponse> {
  const response = await openStream(url, { method, headers })
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

/** Sends a request, and returns the response when its headers have arrived. */
export function openStream(
  url: string,
  { method = 'GET', headers = {} }: { readonly method?: string; readonly headers?: OutgoingHttpHeaders } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).once('error', reject).end()
  })
}
