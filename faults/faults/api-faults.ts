import { isWatchRequest, type Fault, type FaultRule } from '@berth/simulator/testing'
import type { ApiRequest } from '@berth/types'
import type { World } from '../world/world.ts'
import type { SystemFault } from './system-fault.ts'

const MAX_MS = 40_000
/** A silent watch of five minutes, as long as the run waits for it. */
const SILENCE_MS = 300_000

/** Returns whether a request binds a pod. */
export const isBind = ({ method, path }: ApiRequest): boolean => method === 'POST' && path.endsWith('/binding')
const isLease = ({ path }: ApiRequest): boolean => path.includes('/leases')

/** Describes a fault between the apps and the API server. */
function apiFault(
  name: string,
  fault: Fault,
  rule: Pick<FaultRule, 'matches' | 'times'> & { readonly maxMs?: number } = {},
): SystemFault {
  const { maxMs = MAX_MS, ...limits } = rule
  return {
    name,
    begin({ injector, random, healAfter }: World) {
      healAfter(random() * maxMs, injector.add({ name, fault, chance: 0.2 + 0.8 * random(), ...limits }))
    },
  }
}

/** The faults F2, F3, F4 and F7 of the connections to the API server. */
export const apiFaults: readonly SystemFault[] = [
  apiFault('F2 a bind takes effect and its response is lost', { kind: 'drop', afterEffect: true }, { matches: isBind }),
  apiFault(
    'F2 a bind takes effect without a response',
    { kind: 'half-open', afterEffect: true },
    { matches: isBind, times: 3 },
  ),
  apiFault(
    'F2 a bind takes effect and times out',
    { kind: 'refuse', status: 504, afterEffect: true },
    { matches: isBind },
  ),
  apiFault('F2 a bind is lost', { kind: 'drop' }, { matches: isBind, times: 3 }),
  apiFault('F3 a bind is refused with 409', { kind: 'refuse', status: 409 }, { matches: isBind }),
  apiFault('F4 429 with Retry-After', { kind: 'refuse', status: 429, retryAfterSeconds: 2 }),
  apiFault('F4 500', { kind: 'refuse', status: 500 }),
  apiFault('F4 503', { kind: 'refuse', status: 503 }),
  apiFault('F4 500 after the effect', { kind: 'refuse', status: 500, afterEffect: true }),
  apiFault('F4 a connection breaks', { kind: 'drop' }),
  apiFault('F4 a connection is half open', { kind: 'half-open' }, { times: 5 }),
  apiFault('F4 a body is slow', { kind: 'slow-body', bytes: 512, everyMs: 40 }, { times: 10 }),
  apiFault('F4 a body is cut', { kind: 'cut-body', afterBytes: 700 }),
  apiFault('F4 a request is late', { kind: 'delay', ms: 3_000 }, { matches: (request) => !isLease(request) }),
  apiFault('F7 watches repeat their events', { kind: 'duplicate' }, { matches: isWatchRequest }),
  apiFault('F7 watches reorder their events', { kind: 'reorder' }, { matches: isWatchRequest }),
  apiFault('F7 watches fall silent', { kind: 'silence' }, { maxMs: SILENCE_MS, times: 8 }),
]
