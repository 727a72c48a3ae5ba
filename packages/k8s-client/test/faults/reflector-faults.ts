import type { ApiRequest, ApiResponse } from '@berth/types'
import { scriptedHandler, type Fault, type ScriptedAnswer } from '../../src/testing.ts'

type Answer = NonNullable<Fault['answer']>
type Body = NonNullable<Fault['body']>

/** The request into which a fault is injected. */
export interface FaultSite {
  readonly random: () => number
  readonly request: ApiRequest
  /** Call it when the client meets the fault. */
  readonly observe: () => void
  /** Call it when the client received a Retry-After of this length. */
  readonly setRetryAfter: (ms: number) => void
}

/** One class of faults; `make` returns undefined if it does not apply to the request. */
export interface FaultClass {
  readonly name: string
  /** Matches code and message of the error that the client must see; undefined if no error is required. */
  readonly expectedError?: RegExp
  readonly make: (site: FaultSite) => Omit<Fault, 'name'> | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const isWatch = ({ path }: ApiRequest): boolean => path.includes('watch=1')
const status = (code: number, reason: string) => ({ kind: 'Status', code, reason, message: reason })

function answerWith(answer: ScriptedAnswer, site: FaultSite): Answer {
  return (request: ApiRequest): Promise<ApiResponse> => {
    site.observe()
    return scriptedHandler([{ answer }]).handle(request)
  }
}

function refuseWith(code: number, reason: string, retryAfterSeconds?: number): FaultClass['make'] {
  return (site) => {
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    const answer = answerWith({ kind: 'json', status: code, body: status(code, reason), headers }, site)
    return {
      answer(request) {
        if (retryAfterSeconds !== undefined) site.setRetryAfter(retryAfterSeconds * 1000)
        return answer(request)
      },
    }
  }
}

function errorFrame(code: number, reason: string): FaultClass['make'] {
  return (site) => {
    const line = `${JSON.stringify({ type: 'ERROR', object: status(code, reason) })}\n`
    return isWatch(site.request)
      ? { answer: answerWith({ kind: 'stream', chunks: [line], ending: 'end' }, site) }
      : undefined
  }
}

/** The server was restored to a version before the one that the client knows. */
const versionTooLarge: FaultClass['make'] = (site) => {
  if (!/[?&]resourceVersion=[1-9]/.test(site.request.path)) return undefined
  const body = {
    ...status(504, 'Timeout'),
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  }
  return { answer: answerWith({ kind: 'json', status: 504, body }, site) }
}

/** Never answers; the client meets it when it gives up. */
function halfOpen(site: FaultSite): { readonly answer: Answer } {
  return { answer: (request) => untilAborted(request, site) }
}

function untilAborted(request: ApiRequest, site: FaultSite): Promise<never> {
  return new Promise((_, reject) =>
    request.signal?.addEventListener('abort', () => {
      site.observe()
      reject(request.signal?.reason as Error)
    }),
  )
}

/** Changes the body of the response; with `onlyWatches`, only of watches. */
function changeBody(change: (site: FaultSite) => Body, onlyWatches = false): FaultClass['make'] {
  return (site) => (onlyWatches && !isWatch(site.request) ? undefined : { body: change(site) })
}

const cut = (ending: 'break' | 'end' | 'hang') =>
  changeBody((site) => {
    const after = Math.floor(site.random() * 4)
    return async function* (chunks, request) {
      let seen = 0
      for await (const chunk of chunks) {
        if (seen++ < after) yield chunk
        else {
          yield chunk.subarray(0, Math.floor(chunk.length / 2))
          if (ending === 'hang') await untilAborted(request, site)
          site.observe()
          break
        }
      }
      if (ending === 'break') throw new Error('read ECONNRESET')
    }
  })

/** Damages one chunk; the following chunks are valid. */
const garbled = changeBody((site) => {
  const index = Math.floor(site.random() * 4)
  return async function* (chunks) {
    let seen = 0
    for await (const chunk of chunks) {
      if (seen++ !== index) {
        yield chunk
        continue
      }
      site.observe()
      yield encoder.encode(decoder.decode(chunk).replace('{', '{,'))
    }
  }
})

const shredded = changeBody(
  (site) =>
    async function* (chunks) {
      for await (const chunk of chunks) {
        site.observe()
        for (let at = 0; at < chunk.length; at += 7) yield chunk.subarray(at, at + 7)
      }
    },
)

const doubled = changeBody(
  (site) =>
    async function* (chunks) {
      for await (const chunk of chunks) {
        site.observe()
        yield Buffer.concat([chunk, chunk])
      }
    },
  true,
)

/** Drops bookmarks, except for the one that ends a WatchList. */
const bookmarkGap = changeBody(
  (site) =>
    async function* (chunks) {
      for await (const chunk of chunks) {
        const text = decoder.decode(chunk)
        if (text.includes('"BOOKMARK"') && !text.includes('initial-events-end')) site.observe()
        else yield chunk
      }
    },
  true,
)

/** Swaps neighbouring events. */
const swapped = changeBody(
  (site) =>
    async function* (chunks) {
      let held: Uint8Array | undefined
      for await (const chunk of chunks) {
        if (held === undefined) held = chunk
        else {
          site.observe()
          yield Buffer.concat([chunk, held])
          held = undefined
        }
      }
      if (held !== undefined) yield held
    },
  true,
)

/** The faults of a list or a watch. */
export const reflectorFaults: readonly FaultClass[] = [
  {
    name: 'dropped reply',
    expectedError: /socket hang up/,
    make: (site) => ({ answer: answerWith({ kind: 'drop' }, site) }),
  },
  { name: 'half-open', expectedError: /^BERTH_API_TIMEOUT /, make: halfOpen },
  { name: '410', expectedError: /^BERTH_API_EXPIRED /, make: refuseWith(410, 'Expired') },
  { name: '409', expectedError: /^BERTH_API_CONFLICT /, make: refuseWith(409, 'Conflict') },
  { name: '429', expectedError: /^BERTH_API_THROTTLED /, make: refuseWith(429, 'TooManyRequests', 2) },
  { name: '500', expectedError: /^BERTH_API_UNAVAILABLE .*InternalError/, make: refuseWith(500, 'InternalError') },
  {
    name: '503',
    expectedError: /^BERTH_API_UNAVAILABLE .*ServiceUnavailable/,
    make: refuseWith(503, 'ServiceUnavailable', 3),
  },
  { name: '410 frame', expectedError: /^BERTH_API_EXPIRED /, make: errorFrame(410, 'Expired') },
  {
    name: '500 frame',
    expectedError: /^BERTH_API_UNAVAILABLE .*InternalError/,
    make: errorFrame(500, 'InternalError'),
  },
  { name: 'truncated, reset', make: cut('break') },
  { name: 'truncated, end', make: cut('end') },
  { name: 'truncated, silence', make: cut('hang') },
  { name: 'no JSON', make: garbled },
  { name: 'shredded chunks', make: shredded },
  { name: 'duplicates', make: doubled },
  { name: 'reordered', make: swapped },
  { name: 'version too large', expectedError: /^BERTH_API_UNAVAILABLE .*Timeout/, make: versionTooLarge },
  { name: 'bookmark gap', make: bookmarkGap },
]
