import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusalError } from '../errors.ts'

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
const MIB = 1024 * 1024

/** Returns the verb that a URL names, without the query. It may be a verb that is not served. */
export function verbOf(url: string): string {
  return url.slice(1).split('?', 1)[0] ?? ''
}

/** Returns the maximum size of the body of a call, bytes. */
export function bodyLimitOf(verb: string, { maxRequestBytes }: RequestLimits): number {
  return verb === 'bind' ? Math.min(MAX_BIND_BYTES, maxRequestBytes) : maxRequestBytes
}

/**
 * Refuses requests whose body is too large, or would exceed the total size of the bodies in flight. The body is read and
 * dropped first, because Go's client may otherwise fail while it writes, and kube-scheduler would not show the message.
 *
 * @param refuse - Returns the response of the verb for an error.
 */
export function addRequestLimits(
  server: FastifyInstance,
  limits: RequestLimits,
  refuse: (verb: string, error: RefusalError) => string,
): void {
  const maxInFlight = MAX_BODIES_IN_FLIGHT * limits.maxRequestBytes
  let inFlight = 0
  const problem = (verb: string, bytes: number): RefusalError | undefined => {
    const limit = bodyLimitOf(verb, limits)
    if (bytes > limit) {
      return new RefusalError(
        `read request: the body has ${mib(bytes)} MiB, and the limit is ${mib(limit)} MiB: set nodeCacheCapable to true in kube-scheduler, so that it sends node names, or raise maxRequestMiB`,
        { code: 'BERTH_EXTENDER_REQUEST' },
      )
    }
    if (inFlight + bytes > maxInFlight) {
      return new RefusalError(
        `read request: the requests in flight have more than ${mib(maxInFlight)} MiB: set nodeCacheCapable to true in kube-scheduler`,
        { code: 'BERTH_EXTENDER_REQUEST', retryable: true },
      )
    }
    return undefined
  }
  server.addHook('onRequest', async (request, reply) => {
    const verb = verbOf(request.url)
    const bytes = bodyBytes(request, bodyLimitOf(verb, limits))
    const error = problem(verb, bytes)
    if (error === undefined) {
      inFlight += bytes
      reply.raw.once('close', () => {
        inFlight -= bytes
      })
      return
    }
    await drain(request)
    return reply.code(200).type('application/json').send(refuse(verb, error))
  })
}

/** Returns the announced size of the body; the limit for a body of unknown size, which the parser bounds. */
function bodyBytes({ headers, raw }: FastifyRequest, limit: number): number {
  const announced = headers['content-length']
  if (announced !== undefined) return Number(announced)
  // HTTP/2 sends a body of unknown size without a header that says so.
  return headers['transfer-encoding'] === undefined && raw.httpVersionMajor < 2 ? 0 : limit
}

function drain({ raw }: FastifyRequest): Promise<void> {
  return new Promise((resolve) => {
    raw.once('end', resolve)
    raw.once('close', resolve)
    raw.resume()
  })
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < MIB ? 3 : 1)
}
