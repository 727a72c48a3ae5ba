/**
 * A log of events. A reader holds the current position, and later reads the events after it. Events that no reader
 * needs are dropped.
 */
export interface EventLog<T> {
  record(event: T): void
  /** Holds the current position. */
  hold(): number
  /** Releases a held position, once per hold. Events after it stay readable until the next record. */
  release(position: number): void
  /** Events after the position, oldest first. */
  since(position: number): readonly T[]
  /** Returns whether events after the position were dropped because the log was full. */
  isLost(position: number): boolean
}

/**
 * Creates an empty log.
 *
 * @param capacity - Maximum number of events. When the log is full, the older half is dropped, and {@link
 * EventLog.isLost} reports it.
 */
export function createEventLog<T>(capacity = 50_000): EventLog<T> {
  let events: T[] = []
  /** Position before the first event in `events`. */
  let start = 0
  const holders = new Map<number, number>()

  const drop = (count: number): void => {
    events = events.slice(count)
    start += count
  }
  const trim = (): void => {
    // Positions only grow: the first key is the oldest position that is held.
    const needed = holders.keys().next().value ?? start + events.length
    if (needed - start > events.length / 2) drop(needed - start)
    if (events.length >= capacity) drop(Math.ceil(events.length / 2))
  }

  return {
    record(event) {
      trim()
      if (holders.size === 0) start += 1
      else events.push(event)
    },
    hold() {
      const position = start + events.length
      holders.set(position, (holders.get(position) ?? 0) + 1)
      return position
    },
    release(position) {
      const count = holders.get(position) ?? 0
      if (count <= 1) holders.delete(position)
      else holders.set(position, count - 1)
    },
    since: (position) => events.slice(Math.max(0, position - start)),
    isLost: (position) => position < start,
  }
}
