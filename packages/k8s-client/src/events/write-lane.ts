import { backoffMs, pause } from '@berth/clock'
import type { Clock } from '@berth/types'
import { ApiError } from '../errors/api-error.ts'
import { TransportError } from '../errors/transport-error.ts'

/** Writes queued items in the background, several at a time, and retries the ones that the API server did not accept. */
export interface WriteLane {
  /** Starts to write after an item was queued. */
  wake(): void
  /** Resolves when nothing is queued and nothing is being written. */
  idle(): Promise<void>
}

/** Options of {@link createWriteLane}. */
export interface WriteLaneOptions<T> {
  readonly maxInFlight: number
  readonly queue: {
    readonly size: () => number
    /** Removes and returns the next item. */
    readonly take: () => T | undefined
    /** Queues an item behind all others, because its write failed. */
    readonly putBack: (item: T) => void
  }
  /** Called before each write; resolves when it may start. */
  readonly admit?: (signal: AbortSignal) => Promise<void>
  readonly write: (item: T) => Promise<void>
  readonly onWritten?: () => void
  /** The API server failed (5xx) or did not respond. */
  readonly onFailed?: () => void
  /** The API server is busy (429) and asks to wait. */
  readonly onThrottled?: (retryAfterMs: number) => void
  /** An item will not be written. */
  readonly onGivenUp: (item: T, cause: 'rejected' | 'not-leading', error: unknown) => void
  /** Ends every write. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** client-go's value (tools/events, maxTriesPerEvent). An attempt without a response does not count. */
const MAX_ANSWERED_ATTEMPTS = 12
/** kube-apiserver's value. */
const DEFAULT_RETRY_AFTER_MS = 1_000
const BACKOFF = { initialMs: 500, maxMs: 10_000 }

/**
 * Creates a lane. After a write that failed (5xx, 429 or no response), only one write at a time tests whether the server
 * has recovered, with a backoff; other answers with an error are final for that item.
 */
export function createWriteLane<T extends object>(options: WriteLaneOptions<T>): WriteLane {
  const { maxInFlight, queue, admit, write, onWritten, onFailed, onThrottled, onGivenUp, signal, clock } = options
  const answeredAttempts = new WeakMap<T, number>()
  const workers = new Set<Promise<void>>()
  let running = 0
  /** Consecutive failures, counted once for the writes that were in flight at the same time. */
  let failures = 0
  let isFailing = false

  const wake = (): void => {
    const limit = isFailing ? 1 : Math.min(maxInFlight, running + queue.size())
    while (running < limit && !signal.aborted) {
      running += 1
      const worker: Promise<void> = work().finally(() => workers.delete(worker))
      workers.add(worker)
    }
  }

  const work = async (): Promise<void> => {
    try {
      // Returns to the caller first: recording must not delay it.
      await Promise.resolve()
      while (queue.size() > 0 && !signal.aborted) {
        await admit?.(signal)
        const item = queue.take()
        if (item === undefined) break
        const retryAfterMs = await attempt(item)
        if (isFailing && running > 1) break
        if (retryAfterMs === undefined) continue
        failures += 1
        await pause(clock, retryAfterMs > 0 ? retryAfterMs : backoffMs(failures, BACKOFF), signal)
      }
    } catch (error) {
      // Only `admit` rejects, and only when the signal aborts.
      if (!signal.aborted) throw error
    } finally {
      running -= 1
    }
  }

  /**
   * Writes an item. Returns undefined when the item is done: written, given up, or put back at shutdown. Otherwise the
   * item is in the queue again, and the result is the time to wait before the next attempt: the server's milliseconds,
   * or 0 for the backoff.
   */
  const attempt = async (item: T): Promise<number | undefined> => {
    try {
      await write(item)
    } catch (error) {
      return handleFailure(item, error)
    }
    onWritten?.()
    failures = 0
    if (isFailing) {
      isFailing = false
      wake()
    }
    return undefined
  }

  const handleFailure = (item: T, error: unknown): number | undefined => {
    if (signal.aborted) {
      queue.putBack(item)
      return undefined
    }
    if (error instanceof TransportError && error.code === 'BERTH_API_WITHHELD') {
      onGivenUp(item, 'not-leading', error)
      return undefined
    }
    const isThrottled = error instanceof ApiError && error.status === 429
    const attempts = (answeredAttempts.get(item) ?? 0) + (error instanceof ApiError && !isThrottled ? 1 : 0)
    const isFinal = !(error instanceof ApiError || error instanceof TransportError) || !error.retryable
    if (!isFinal && !isThrottled) onFailed?.()
    if (isFinal || attempts >= MAX_ANSWERED_ATTEMPTS) {
      onGivenUp(item, 'rejected', error)
      return undefined
    }
    answeredAttempts.set(item, attempts)
    queue.putBack(item)
    isFailing = true
    if (!isThrottled) return 0
    const retryAfterMs = error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS
    onThrottled?.(retryAfterMs)
    return retryAfterMs
  }

  return {
    wake,
    async idle() {
      while (workers.size > 0) await Promise.all(workers)
    },
  }
}
