import { onAbort } from '@berth/clock'
import type { Clock, Timer } from '@berth/types'
import type { CallPriority } from './call-options.ts'

/** Limits the rate of calls to the API server. */
export interface RateLimit {
  /** Resolves when the call may start. Rejects with the signal's reason if it aborts first. */
  acquire(priority: CallPriority, signal?: AbortSignal): Promise<void>
  /** Number of waiting calls. */
  waiting(): number
}

interface Waiter {
  readonly grant: () => void
}

type QueuedPriority = Exclude<CallPriority, 'exempt'>
const ORDER: readonly QueuedPriority[] = ['urgent', 'high', 'normal', 'low']

/**
 * Creates a token bucket: `burst` calls at once, then `qps` per second. Waiting calls start by priority, and in order
 * of arrival within a priority. An `exempt` call starts at once and takes no token; kube-scheduler gives its lease a
 * separate client for the same reason.
 *
 * @param options.qps - Calls per second; 0 or less means no limit.
 */
export function createRateLimit(options: {
  readonly qps: number
  readonly burst: number
  readonly clock: Clock
}): RateLimit {
  const { qps, clock } = options
  const burst = Math.max(1, options.burst)
  const queues: Readonly<Record<QueuedPriority, Set<Waiter>>> = {
    urgent: new Set(),
    high: new Set(),
    normal: new Set(),
    low: new Set(),
  }
  let tokens = burst
  let filledAt = clock.monotonic()
  let timer: Timer | undefined

  const refill = (): void => {
    const now = clock.monotonic()
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * qps)
    filledAt = now
  }
  const waiting = (): number => queues.urgent.size + queues.high.size + queues.normal.size + queues.low.size
  const serve = (): void => {
    timer = undefined
    refill()
    for (const priority of ORDER) {
      for (const waiter of queues[priority]) {
        if (tokens < 1) break
        tokens -= 1
        queues[priority].delete(waiter)
        waiter.grant()
      }
    }
    // The extra half millisecond keeps rounding from ending the wait just before the token exists.
    if (waiting() > 0) timer = clock.setTimer(((1 - tokens) / qps) * 1000 + 0.5, serve)
  }

  return {
    waiting,
    acquire(priority, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error)
      if (qps <= 0 || priority === 'exempt') return Promise.resolve()
      refill()
      if (tokens >= 1 && waiting() === 0) {
        tokens -= 1
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          grant() {
            removeAbort()
            resolve()
          },
        }
        const removeAbort = onAbort(signal, () => {
          queues[priority].delete(waiter)
          reject(signal?.reason as Error)
        })
        queues[priority].add(waiter)
        if (timer === undefined) serve()
      })
    },
  }
}
