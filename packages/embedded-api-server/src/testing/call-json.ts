import type { ApiHandler, ApiRequest } from '@berth/types'

/** The optional parts of a request. */
export interface CallOptions {
  /** A string is sent as it is, any other value as JSON. */
  readonly body?: unknown
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A response that was read completely. */
export interface JsonResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON; the text of a response that is not JSON. */
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- tests read into JSON of every shape
}

/** Sends one request to a handler and reads the response as JSON. */
export async function callJson(
  handle: ApiHandler,
  method: ApiRequest['method'],
  path: string,
  options: CallOptions = {},
): Promise<JsonResponse> {
  const { body, contentType = 'application/json', headers = {} } = options
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await handle({
    method,
    path,
    headers: { 'content-type': contentType, ...headers },
    ...(body === undefined ? {} : { body: new TextEncoder().encode(text) }),
  })
  const decoder = new TextDecoder()
  let responseText = ''
  for await (const chunk of response.body) responseText += decoder.decode(chunk, { stream: true })
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(responseText) : responseText }
}
