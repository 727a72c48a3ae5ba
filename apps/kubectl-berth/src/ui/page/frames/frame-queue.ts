/** Work that waits for its frame. */
export interface FrameQueue {
  /**
   * Runs some work in a later frame. Each piece of work gets a frame of its own, in the order of the requests. A request that
   * is repeated before its turn keeps its place and replaces the work.
   *
   * @param owner - Identifies the request.
   */
  request(owner: object, work: () => void): void
  /** Withdraws a request. */
  cancel(owner: object): void
}

/**
 * Creates a queue without requests.
 *
 * @param nextFrame - Calls a function in the next frame, such as `requestAnimationFrame`.
 */
export function createFrameQueue(nextFrame: (work: () => void) => void): FrameQueue {
  const waiting = new Map<object, () => void>()
  let isScheduled = false
  const schedule = (): void => {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    nextFrame(run)
  }
  const run = (): void => {
    isScheduled = false
    const [first] = waiting
    if (first === undefined) return
    const [owner, work] = first
    waiting.delete(owner)
    schedule()
    work()
  }
  return {
    request(owner, work) {
      waiting.set(owner, work)
      schedule()
    },
    cancel: (owner) => void waiting.delete(owner),
  }
}
