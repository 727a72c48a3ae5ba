/**
 * Remembers what happened while somebody was away: a pod in flight holds a position, and reads on its return what
 * came after it. Nothing is kept while nobody holds a position.
 */
export interface EventLog<T> {
  record(event: T): void
  /** Holds the present position. */
  hold(): number
  /** Lets a held position go, once per hold. What was recorded stays readable until the next record. */
  release(position: number): void
  /** Events after the position, oldest first. */
  since(position: number): readonly T[]
  /** Whether events after the position had to be dropped because there were too many. */
  isLost(position: number): boolean
}

/**
 * Makes an empty log.
 *
 * @param capacity - Most events kept; older ones are dropped and make their holders answer `isLost`.
 */
export function createEventLog<T>(capacity = 50_000): EventLog<T> {
  let events: T[] = []
  let first = 0
  const holders = new Map<number, number>()

  const drop = (count: number): void => {
    events = events.slice(count)
    first += count
  }
  const trim = (): void => {
    // Positions only grow, so the first holder is the one that is away for longest.
    const needed = holders.keys().next().value ?? first + events.length
    if (needed - first > events.length / 2) drop(needed - first)
    if (events.length >= capacity) drop(Math.ceil(events.length / 2))
  }

  return {
    record(event) {
      trim()
      if (holders.size === 0) first += 1
      else events.push(event)
    },
    hold() {
      const position = first + events.length
      holders.set(position, (holders.get(position) ?? 0) + 1)
      return position
    },
    release(position) {
      const count = holders.get(position) ?? 0
      if (count <= 1) holders.delete(position)
      else holders.set(position, count - 1)
    },
    since: (position) => events.slice(Math.max(0, position - first)),
    isLost: (position) => position < first,
  }
}
