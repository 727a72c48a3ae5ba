import type { Clock, Timer } from '@berth/types'

/** Work to be done per node: each name waits at most once and never runs twice at the same time. */
export interface NodeQueue {
  /** Has the work of a node done, no sooner than after `delayMs`; an earlier due time that stands is kept. */
  add(nodeName: string, delayMs?: number): void
  /** Resolves when nothing is due or running; delayed work may wait. */
  settled(): Promise<void>
  /** Drops what waits and resolves when what runs has ended. */
  close(): Promise<void>
}

/**
 * A queue that calls `work` for each added node, at most `concurrency` at a time.
 *
 * @param options.work - Must not reject; the name can be added again from inside it.
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

  function start(): void {
    for (const nodeName of due) {
      if (running.size >= concurrency) return
      if (running.has(nodeName)) continue
      due.delete(nodeName)
      running.add(nodeName)
      void work(nodeName).finally(() => {
        running.delete(nodeName)
        start()
        if (running.size === 0 && due.size === 0) idle.resolve()
      })
    }
  }

  function makeDue(nodeName: string): void {
    waiting.get(nodeName)?.timer.cancel()
    waiting.delete(nodeName)
    if (running.size === 0 && due.size === 0) idle = Promise.withResolvers<void>()
    due.add(nodeName)
    start()
  }

  return {
    add(nodeName, delayMs = 0) {
      if (isClosed || due.has(nodeName)) return
      if (delayMs <= 0) return makeDue(nodeName)
      const dueMs = clock.monotonic() + delayMs
      const standing = waiting.get(nodeName)
      if (standing !== undefined && standing.dueMs <= dueMs) return
      standing?.timer.cancel()
      waiting.set(nodeName, { dueMs, timer: clock.setTimer(delayMs, () => makeDue(nodeName)) })
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
