/** A task that runs once. */
export interface DueTask {
  /** When the task is due, in the heap's time. */
  readonly atMs: number
  readonly task: () => void
  isCancelled: boolean
}

/** Tasks by the time at which they are due. Tasks that are due at the same time keep their order. */
export interface TimerHeap {
  push(atMs: number, task: () => void): DueTask
  /** Removes and returns the next task that is due at `untilMs` or before; undefined when there is none. */
  pop(untilMs: number): DueTask | undefined
}

/** Creates a binary heap. It drops a cancelled task when the task would be due. */
export function createTimerHeap(): TimerHeap {
  const heap: (DueTask & { readonly order: number })[] = []
  let pushed = 0
  const isBefore = (a: number, b: number): boolean => {
    const left = heap[a]
    const right = heap[b]
    if (left === undefined || right === undefined) return left !== undefined
    return left.atMs === right.atMs ? left.order < right.order : left.atMs < right.atMs
  }
  const swap = (a: number, b: number): void => {
    const [left, right] = [heap[a], heap[b]]
    if (left === undefined || right === undefined) return
    heap[a] = right
    heap[b] = left
  }
  const sink = (): void => {
    for (let i = 0; ;) {
      const child = isBefore(2 * i + 2, 2 * i + 1) ? 2 * i + 2 : 2 * i + 1
      if (child >= heap.length || isBefore(i, child)) return
      swap(i, child)
      i = child
    }
  }

  return {
    push(atMs, task) {
      const entry = { atMs, task, isCancelled: false, order: pushed++ }
      heap.push(entry)
      for (let i = heap.length - 1; i > 0;) {
        const parent = (i - 1) >> 1
        if (isBefore(parent, i)) break
        swap(parent, i)
        i = parent
      }
      return entry
    },
    pop(untilMs) {
      for (;;) {
        const first = heap[0]
        if (first === undefined || first.atMs > untilMs) return undefined
        const last = heap.pop()
        if (last !== undefined && last !== first) {
          heap[0] = last
          sink()
        }
        if (!first.isCancelled) return first
      }
    },
  }
}
