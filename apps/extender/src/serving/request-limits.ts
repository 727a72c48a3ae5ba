import { RefusalError } from '../errors.ts'
import { type BodyMemory, createBodyMemory } from './body-memory.ts'

/** Bounds of requests. */
export interface RequestLimits {
  /** Maximum size of the body of a filter, prioritize or preempt call, bytes. */
  readonly maxRequestBytes: number
  /** Maximum number of nodes in one call. */
  readonly maxNodes: number
}

/** The body of a bind call has four short strings. */
const MAX_BIND_BYTES = 16 * 1024
/** Bodies that are received or evaluated at the same time may have this many times the maximum size together. */
const MAX_BODIES_IN_FLIGHT = 4
/** Those of one connection. kube-scheduler sends one large body at a time, and small ones for binds beside it. */
const MAX_BODIES_OF_CONNECTION = 2
const MIB = 1024 * 1024

/** Returns the verb that a URL names, without the query. It may be a verb that is not served. */
export function verbOf(url: string): string {
  return url.slice(1).split('?', 1)[0] ?? ''
}

/** Returns the maximum size of the body of a call, bytes. */
export function bodyLimitOf(verb: string, { maxRequestBytes }: RequestLimits): number {
  return verb === 'bind' ? Math.min(MAX_BIND_BYTES, maxRequestBytes) : maxRequestBytes
}

/** The memory of the bodies in flight, for {@link RequestLimits}. See {@link createBodyMemory}. */
export function createMemoryOfBodies({ maxRequestBytes }: RequestLimits): BodyMemory {
  return createBodyMemory({
    total: MAX_BODIES_IN_FLIGHT * maxRequestBytes,
    perConnection: MAX_BODIES_OF_CONNECTION * maxRequestBytes,
  })
}

/** Returns the error for a body whose announced size is above its limit. */
export function tooLarge(bytes: number, limit: number): RefusalError {
  return new RefusalError(
    `read request: the body has ${mib(bytes)} MiB, and the limit is ${mib(limit)} MiB: set nodeCacheCapable to true in kube-scheduler, so that it sends node names, or raise maxRequestMiB`,
    { code: 'BERTH_EXTENDER_REQUEST' },
  )
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < MIB ? 3 : 1)
}
