import type { Clock, Timer } from '@berth/types'

/** A work queue of node names. A name waits at most once and is never processed twice at the same time. */
export interface NodeQueue {
  /** Queues a node, due after `delayMs`. An earlier due time of a queued node is kept. */
  add(nodeName: string, delayMs?: number): void
  /** Resolves when no work is due or running. Delayed work may still be queued. */
  settled(): Promise<void>
  /** Drops queued work and resolves when running work has ended. */
  close(): Promise<void>
}

/**
 * Creates a queue that calls `work` for each added node, at most `concurrency` at a time.
 *
 * @param options.work - Must not reject. It may add the same name again.
 */
export function createNodeQueue(options: {
  readonly work: (nodeName: string) => Promise<void>
  readonly concurrency: number
  readonly clock: Clock
}): NodeQueue {
  const { work, concurrency, clock } = options
  const waiting = new Map<string, { readonly dueMs: number; readonly timer: Timer }>()
  const due = new Set<string>()
  const running = new Set<string>()
  let idle = Promise.withResolvers<void>()
  idle.resolve()
  let isClosed = false

  function startDueWork(): void {
    for (const nodeName of due) {
      if (running.size >= concurrency) return
      if (running.has(nodeName)) continue
      due.delete(nodeName)
      running.add(nodeName)
      void work(nodeName).finally(() => {
        running.delete(nodeName)
        startDueWork()
        if (running.size === 0 && due.size === 0) idle.resolve()
      })
    }
  }

  function markDue(nodeName: string): void {
    waiting.get(nodeName)?.timer.cancel()
    waiting.delete(nodeName)
    if (running.size === 0 && due.size === 0) idle = Promise.withResolvers<void>()
    due.add(nodeName)
    startDueWork()
  }

  return {
    add(nodeName, delayMs = 0) {
      if (isClosed || due.has(nodeName)) return
      if (delayMs <= 0) return markDue(nodeName)
      const dueMs = clock.monotonic() + delayMs
      const pending = waiting.get(nodeName)
      if (pending !== undefined && pending.dueMs <= dueMs) return
      pending?.timer.cancel()
      waiting.set(nodeName, { dueMs, timer: clock.setTimer(delayMs, () => markDue(nodeName)) })
    },
    settled: () => idle.promise,
    close() {
      isClosed = true
      for (const { timer } of waiting.values()) timer.cancel()
      waiting.clear()
      due.clear()
      if (running.size === 0) idle.resolve()
      return idle.promise
    },
  }
}
