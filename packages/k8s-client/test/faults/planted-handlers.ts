import type { ApiHandler, ApiRequest, ApiResponse } from '@berth/types'

type Plant = (handler: ApiHandler) => ApiHandler

/** Bugs of a client that can be simulated between it and the server. */
export const plantedHandlers: Readonly<
  Record<
    | 'Retry-After ignored'
    | 'dropped bookmark'
    | 'skipped garbage frames'
    | 'no uid precondition'
    | 'failures hidden from the client',
    Plant
  >
> = {
  'Retry-After ignored': (handler) => async (request) => {
    const response = await handler(request)
    const { 'retry-after': _, ...headers } = response.headers
    return { ...response, headers }
  },
  'dropped bookmark': (handler) => filterLines(handler, (line) => !isPlainBookmark(line)),
  'skipped garbage frames': (handler) => filterLines(handler, isJson),
  'failures hidden from the client': (handler) => async (request) => {
    const response = await handler(request)
    return response.status === 500 ? handler(request) : response
  },
  'no uid precondition': (handler) => (request) => handler(withoutUid(request)),
}

function filterLines(handler: ApiHandler, keep: (line: string) => boolean): ApiHandler {
  return async (request): Promise<ApiResponse> => {
    const response = await handler(request)
    if (!request.path.includes('watch=1') || response.status !== 200) return response
    return { ...response, body: filtered(response.body, keep) }
  }
}

async function* filtered(body: AsyncIterable<Uint8Array>, keep: (line: string) => boolean): AsyncGenerator<Uint8Array> {
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (keep(line)) yield Buffer.from(`${line}\n`)
  }
}

function isPlainBookmark(line: string): boolean {
  return line.includes('"BOOKMARK"') && !line.includes('initial-events-end')
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function withoutUid(request: ApiRequest): ApiRequest {
  if (request.body === undefined || !request.path.endsWith('/binding')) return request
  const binding = JSON.parse(Buffer.from(request.body).toString('utf8')) as { readonly metadata: { uid?: string } }
  delete binding.metadata.uid
  return { ...request, body: Buffer.from(JSON.stringify(binding)) }
}
