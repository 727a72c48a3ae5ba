/** A binary heap whose items can be found, replaced and removed by key in O(log n). */
export interface KeyedHeap<T> {
  readonly size: number
  /** Adds the item, or replaces the item of the same key. */
  set(key: string, item: T): void
  get(key: string): T | undefined
  has(key: string): boolean
  /** @returns The item that was removed; undefined when the key is unknown. */
  delete(key: string): T | undefined
  /** Returns the first item in order; undefined when the heap is empty. */
  peek(): T | undefined
  /** Removes and returns the first item in order; undefined when the heap is empty. */
  pop(): T | undefined
  /** Iterates over every item in no particular order. */
  values(): IterableIterator<T>
}

interface Slot<T> {
  readonly key: string
  readonly item: T
  /** Insertion number: items that compare equal are popped in insertion order. */
  readonly sequence: number
}

/**
 * Creates an empty heap.
 *
 * @param compare - Negative when `a` is popped before `b`; items that compare equal are popped in insertion order.
 */
export function createKeyedHeap<T>(compare: (a: T, b: T) => number): KeyedHeap<T> {
  const slots: Slot<T>[] = []
  const positions = new Map<string, number>()
  let sequence = 0

  const precedes = (a: Slot<T>, b: Slot<T>): boolean => {
    const order = compare(a.item, b.item)
    return order < 0 || (order === 0 && a.sequence < b.sequence)
  }
  const place = (slot: Slot<T>, index: number): void => {
    slots[index] = slot
    positions.set(slot.key, index)
  }
  const rise = (slot: Slot<T>, from: number): number => {
    let index = from
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = slots[parentIndex]
      if (parent === undefined || !precedes(slot, parent)) break
      place(parent, index)
      index = parentIndex
    }
    place(slot, index)
    return index
  }
  const sink = (slot: Slot<T>, from: number): void => {
    let index = from
    for (;;) {
      let childIndex = 2 * index + 1
      let child = slots[childIndex]
      const right = slots[childIndex + 1]
      if (child !== undefined && right !== undefined && precedes(right, child)) {
        childIndex += 1
        child = right
      }
      if (child === undefined || !precedes(child, slot)) break
      place(child, index)
      index = childIndex
    }
    place(slot, index)
  }
  const settle = (slot: Slot<T>, index: number): void => {
    if (rise(slot, index) === index) sink(slot, index)
  }
  const removeAt = (index: number): T | undefined => {
    const removed = slots[index]
    const last = slots.pop()
    if (removed === undefined || last === undefined) return undefined
    positions.delete(removed.key)
    if (last !== removed) settle(last, index)
    return removed.item
  }

  return {
    get size() {
      return slots.length
    },
    set(key, item) {
      const index = positions.get(key)
      const slot = { key, item, sequence: sequence++ }
      settle(slot, index ?? slots.length)
    },
    get: (key) => {
      const index = positions.get(key)
      return index === undefined ? undefined : slots[index]?.item
    },
    has: (key) => positions.has(key),
    delete: (key) => {
      const index = positions.get(key)
      return index === undefined ? undefined : removeAt(index)
    },
    peek: () => slots[0]?.item,
    pop: () => removeAt(0),
    *values() {
      for (const slot of slots) yield slot.item
    },
  }
}
