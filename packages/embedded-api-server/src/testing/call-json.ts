import type { ApiHandler, ApiRequest } from '@berth/types'

/** What a call sends besides method and path. */
export interface CallOptions {
  /** A text goes as it is, everything else as JSON. */
  readonly body?: unknown
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that was read whole. */
export interface JsonResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The JSON value, typed as what the test expects it to be. */
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- tests read into JSON of every shape
}

/** Sends one request to a handler and reads the answer as JSON. */
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
  let answer = ''
  for await (const chunk of response.body) answer += decoder.decode(chunk, { stream: true })
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer }
}
