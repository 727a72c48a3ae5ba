import type { FakeClock } from '@berth/clock/testing'
import type { ApiHandler, KubernetesObject } from '@berth/types'
import type { Reflector } from '../../src/index.ts'
import { scriptedHandler, type ListWatchServer } from '../../src/testing.ts'
import type { FaultCounts } from './fault-counts.ts'

/** A fault that lasts, and the maximum time from its end until a mirror is correct again. */
export interface LongFault {
  readonly name: string
  readonly lastsMs: number
  readonly boundMs: number
  /** Maximum of requests of one mirror while it lasts; more would be a hot loop. */
  readonly maxRequests: number
  /** True if it lasts while the mirror must recover. It then hits watches only. */
  readonly isForGood?: true
  /** Answers every request while it lasts. If undefined, the server answers. */
  readonly answer: ApiHandler | undefined
  /** Time at which the client notices it: with the response, or when it stops waiting for one. */
  readonly isMet: 'at once' | 'when given up'
  readonly begin: (server: ListWatchServer) => void
}

const refusal = { kind: 'Status', code: 503, reason: 'ServiceUnavailable', message: 'no leader' }

/** Time passes in steps of this size; measured times are at most one step too long. */
const STEP_MS = 250

/** The bounds follow from the pauses of the reflector, except for silent streams, which end by their time limit. */
export const longFaults: readonly LongFault[] = [
  {
    name: 'server gone for 60 s',
    lastsMs: 60_000,
    boundMs: 5_000,
    maxRequests: 60,
    answer: () => Promise.reject(new Error('connect ECONNREFUSED')),
    isMet: 'at once',
    begin: (server) => server.breakWatches(),
  },
  {
    name: '503 for 60 s',
    lastsMs: 60_000,
    boundMs: 5_000,
    maxRequests: 60,
    answer: scriptedHandler([], () => ({ kind: 'json', status: 503, body: refusal })).handle,
    isMet: 'at once',
    begin: (server) => server.endWatches(),
  },
  {
    // The answer of an API server that has just started and fills its caches.
    name: '429 for 60 s',
    lastsMs: 60_000,
    boundMs: 5_000,
    maxRequests: 60,
    answer: scriptedHandler([], () => ({
      kind: 'json',
      status: 429,
      headers: { 'retry-after': '1' },
      body: { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'storage is (re)initializing' },
    })).handle,
    isMet: 'at once',
    begin: (server) => server.endWatches(),
  },
  {
    name: 'compaction while cut off',
    lastsMs: STEP_MS,
    boundMs: 5_000,
    maxRequests: 10,
    answer: undefined,
    isMet: 'at once',
    begin(server) {
      server.breakWatches()
      server.compact()
    },
  },
  {
    name: 'watch silent on an open connection',
    lastsMs: STEP_MS,
    boundMs: 180_000 + STEP_MS,
    maxRequests: 10,
    answer: scriptedHandler([], () => ({ kind: 'stream', chunks: [], ending: 'hang' })).handle,
    isMet: 'when given up',
    begin: (server) => server.endWatches(),
  },
  {
    name: 'every watch opens and says nothing, for good',
    lastsMs: STEP_MS,
    // A silent watch, a WatchList without an answer, and a LIST.
    boundMs: 180_000 + 35_000,
    maxRequests: 10,
    isForGood: true,
    answer: scriptedHandler([], () => ({ kind: 'stream', chunks: [], ending: 'hang' })).handle,
    isMet: 'when given up',
    begin: (server) => server.endWatches(),
  },
]

/** The environment of {@link timeRecovery}. */
export interface RecoverySite {
  readonly server: ListWatchServer
  readonly reflector: Reflector<KubernetesObject>
  readonly clock: FakeClock
  readonly counts: FaultCounts
  /** Replaces the server by a handler, or restores it. */
  readonly divert: (answer: ApiHandler | undefined) => void
  readonly isEqual: () => boolean
}

/**
 * Applies a fault together with changes that the mirror cannot see, and measures the time from its end until the mirror
 * equals the server.
 *
 * @returns The problems found; empty if there are none.
 */
export async function timeRecovery(fault: LongFault, site: RecoverySite): Promise<readonly string[]> {
  const { server, reflector, clock, counts, divert, isEqual } = site
  const problems: string[] = []
  let requests = 0
  const { answer } = fault
  const observe = (): void => counts.observed(fault.name)
  // A younger watch that ends would not be restarted at once.
  await clock.advance(2_000)
  if (answer === undefined) {
    counts.injected(fault.name)
    observe()
  } else
    divert((request) => {
      requests += 1
      if (fault.isForGood === true && !request.path.includes('watch=1')) return server.handle(request)
      counts.injected(fault.name)
      if (fault.isMet === 'at once') observe()
      else request.signal?.addEventListener('abort', observe, { once: true })
      return answer(request)
    })
  const put = (name: string): void =>
    void server.put({ metadata: { name, namespace: 'default', uid: `${name}-${fault.name}` } })
  fault.begin(server)
  await clock.advance(fault.lastsMs / 2)
  put('unseen')
  await clock.advance(fault.lastsMs / 2)
  const countRequests = (): void => {
    if (requests > fault.maxRequests) problems.push(`${fault.name}: ${requests} requests`)
  }
  countRequests()
  if (fault.lastsMs > STEP_MS && reflector.lastEventAgeMs() < fault.lastsMs)
    problems.push(`${fault.name}: took the view for ${reflector.lastEventAgeMs()} ms old`)
  if (fault.isForGood !== true) divert(undefined)
  server.remove('default/unseen')
  put('afterwards')
  const endedAt = clock.monotonic()
  await clock.settle()
  const sinceEnd = (): number => clock.monotonic() - endedAt
  while (!isEqual() && sinceEnd() <= fault.boundMs) {
    await clock.advance(STEP_MS)
    if (!isEqual() && reflector.lastEventAgeMs() < sinceEnd())
      problems.push(`${fault.name}: took a view without the last change for ${reflector.lastEventAgeMs()} ms old`)
  }
  const tookMs = sinceEnd()
  if (isEqual()) counts.recovered(fault.name, tookMs)
  if (!isEqual() || tookMs > fault.boundMs) problems.push(`${fault.name}: not right again after ${tookMs} ms`)
  if (fault.isForGood === true) {
    countRequests()
    divert(undefined)
    // The current watch is one of the silent ones.
    await clock.advance(fault.boundMs)
  }
  return problems
}
