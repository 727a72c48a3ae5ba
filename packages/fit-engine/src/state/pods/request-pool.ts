import type { EncodedRequest } from './encoded-request.ts'

/** Number of slots; a power of two. */
const SIZE = 1024

/** Hashes the amounts. Equal requests have the same slot; the distribution need not be perfect. */
function slotOf(request: EncodedRequest): number {
  let hash = request.length
  for (const entry of request) {
    const amount = Number(entry)
    hash = (Math.imul(hash, 31) + (amount | 0) + ((amount / 0x1_0000_0000) | 0)) | 0
  }
  return (hash ^ (hash >>> 15)) & (SIZE - 1)
}

function isSame(a: EncodedRequest, b: EncodedRequest): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/**
 * Shares one array among pods with equal requests, because most pods come from a template. It has a fixed number of
 * slots, each with the latest request that hashed to it; a request that loses its slot stays valid for its pods.
 */
export class RequestPool {
  readonly #slots: (EncodedRequest | undefined)[] = []

  /** Returns an equal request from the pool, or adds this one and returns it. */
  intern(request: EncodedRequest): EncodedRequest {
    const slot = slotOf(request)
    const known = this.#slots[slot]
    if (known !== undefined && isSame(known, request)) return known
    this.#slots[slot] = request
    return request
  }
}
