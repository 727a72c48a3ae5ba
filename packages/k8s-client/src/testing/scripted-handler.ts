import type { ApiHandler, ApiRequest, ApiResponse } from '@berth/types'

/** The answer of a scripted server to one request. */
export type ScriptedAnswer =
  /** Answers with a JSON body. */
  | {
      readonly kind: 'json'
      readonly status: number
      readonly body: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Answers 200 and sends these chunks; afterwards `end`s, `break`s the stream with an error, or `hang`s. */
  | { readonly kind: 'stream'; readonly chunks: readonly string[]; readonly ending: 'end' | 'break' | 'hang' }
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** The connection breaks without a response. */
  | { readonly kind: 'drop'; readonly error?: Error }
  /** Computes the answer. */
  | { readonly kind: 'call'; readonly handle: ApiHandler }

/** One step of a script: the request that it expects, and the answer. */
export interface ScriptedStep {
  /** `METHOD /path-prefix`; the query is compared only where given. Default: any request. */
  readonly expect?: string
  readonly answer: ScriptedAnswer
  /** Number of requests that it serves. Default: 1. */
  readonly times?: number
}

/** A server that follows a script. */
export interface ScriptedHandler {
  readonly handle: ApiHandler
  /** Every request received, in order. */
  readonly requests: readonly ApiRequest[]
  /** Decoded bodies of the received requests; undefined for requests without a body. */
  readonly bodies: readonly unknown[]
  /** Adds steps at the end. */
  push(...steps: readonly ScriptedStep[]): void
  /** Number of steps that are not used up. */
  remaining(): number
}

/**
 * Serves requests with the first unused step that expects them.
 *
 * @param fallback - The answer if no step matches. Default: a 500 that names the request.
 */
export function scriptedHandler(
  steps: readonly ScriptedStep[],
  fallback?: (request: ApiRequest) => ScriptedAnswer,
): ScriptedHandler {
  const queue = steps.map((step) => ({ step, left: step.times ?? 1 }))
  const requests: ApiRequest[] = []
  const bodies: unknown[] = []

  const handle: ApiHandler = (request) => {
    requests.push(request)
    bodies.push(request.body === undefined ? undefined : parse(request.body))
    const found = queue.find(({ step, left }) => left > 0 && matches(step.expect, request))
    if (found === undefined) return perform(fallback?.(request) ?? unexpected(request), request)
    found.left -= 1
    return perform(found.step.answer, request)
  }

  return {
    handle,
    requests,
    bodies,
    push: (...more) => void queue.push(...more.map((step) => ({ step, left: step.times ?? 1 }))),
    remaining: () => queue.filter(({ left }) => left > 0).length,
  }
}

function parse(body: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(body))
}

function matches(expected: string | undefined, request: ApiRequest): boolean {
  return expected === undefined || `${request.method} ${request.path}`.startsWith(expected)
}

function unexpected(request: ApiRequest): ScriptedAnswer {
  const message = `the script has no answer for ${request.method} ${request.path}`
  return { kind: 'json', status: 500, body: { kind: 'Status', reason: 'InternalError', message } }
}

async function perform(answer: ScriptedAnswer, request: ApiRequest): Promise<ApiResponse> {
  switch (answer.kind) {
    case 'json': {
      const headers = { 'content-type': 'application/json', ...answer.headers }
      return { status: answer.status, headers, body: chunksOf([JSON.stringify(answer.body)], 'end', request) }
    }
    case 'stream':
      return { status: 200, headers: {}, body: chunksOf(answer.chunks, answer.ending, request) }
    case 'hang':
      return aborted(request)
    case 'drop':
      throw answer.error ?? new Error('socket hang up')
    case 'call':
      return answer.handle(request)
  }
}

async function* chunksOf(
  chunks: readonly string[],
  ending: 'end' | 'break' | 'hang',
  request: ApiRequest,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const chunk of chunks) yield encoder.encode(chunk)
  if (ending === 'break') throw new Error('socket hang up')
  if (ending === 'hang') await aborted(request)
}

function aborted(request: ApiRequest): Promise<never> {
  return new Promise((_, reject) => {
    const { signal } = request
    if (signal === undefined) return
    if (signal.aborted) reject(signal.reason as Error)
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
