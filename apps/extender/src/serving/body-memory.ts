/** Bounds of {@link createBodyMemory}, bytes. */
export interface BodyMemoryBounds {
  /** Of all bodies. */
  readonly total: number
  /** Of the bodies of one connection. */
  readonly perConnection: number
}

/** Why a body may not be kept: its connection has too much, all requests have too much, or newer bodies needed the memory. */
export type BodyRefusal = 'connection' | 'total' | 'dropped'

/** The memory of one body, from its first byte until its response is sent. */
export interface HeldBody {
  /**
   * Counts a received part.
   *
   * @param onDropped - Called when the part and those before it must be dropped, because a newer body needs their memory.
   * @returns Why nothing of the body may be kept; undefined if the part may.
   */
  add(bytes: number, onDropped: () => void): BodyRefusal | undefined
  /** Notes that the body is complete: it is not dropped any more. */
  complete(): void
  /** Releases the memory. May be called more than once. */
  release(): void
}

/** The memory of all bodies that are received or evaluated. */
export interface BodyMemory {
  /** Starts to count a body. `connection` is the same object for every request of a connection. */
  open(connection: object): HeldBody
}

interface Body {
  readonly connection: object
  bytes: number
  refusal: BodyRefusal | undefined
  onDropped: () => void
}

/**
 * Creates a bound of the memory that bodies take. Only received bytes count: a caller that announces a large body takes
 * nothing. When the total is used up, the oldest incomplete body is dropped for a newer one, so that callers that hold their
 * bodies back do not keep kube-scheduler out, which sends a body within milliseconds. A complete body is never dropped.
 */
export function createBodyMemory({ total, perConnection }: BodyMemoryBounds): BodyMemory {
  /** The bodies that are not complete, oldest first. */
  const receiving = new Set<Body>()
  const byConnection = new Map<object, number>()
  let held = 0

  const free = (body: Body): void => {
    const rest = (byConnection.get(body.connection) ?? 0) - body.bytes
    if (rest > 0) byConnection.set(body.connection, rest)
    else byConnection.delete(body.connection)
    held -= body.bytes
    body.bytes = 0
    receiving.delete(body)
  }
  const refuse = (body: Body, refusal: BodyRefusal): BodyRefusal => {
    body.refusal = refusal
    free(body)
    return refusal
  }
  /** Drops older bodies until there is room for more bytes. Returns whether there is. */
  const makeRoom = (body: Body, bytes: number): boolean => {
    for (const other of receiving) {
      if (held + bytes <= total) break
      if (other === body) continue
      refuse(other, 'dropped')
      other.onDropped()
    }
    return held + bytes <= total
  }

  return {
    open(connection) {
      const body: Body = { connection, bytes: 0, refusal: undefined, onDropped: () => {} }
      receiving.add(body)
      return {
        add(bytes, onDropped) {
          if (body.refusal !== undefined) return body.refusal
          const own = byConnection.get(connection) ?? 0
          if (own + bytes > perConnection) return refuse(body, 'connection')
          if (!makeRoom(body, bytes)) return refuse(body, 'total')
          body.onDropped = onDropped
          body.bytes += bytes
          byConnection.set(connection, own + bytes)
          held += bytes
          return undefined
        },
        complete: () => void receiving.delete(body),
        release: () => free(body),
      }
    },
  }
}
