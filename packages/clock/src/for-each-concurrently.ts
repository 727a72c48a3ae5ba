/** Calls `work` for each item, at most `limit` at once, in the order of the items. Starts no more once `signal` is aborted. */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  // The workers share one iterator, so that each takes the next item.
  const iterator = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      if (signal?.aborted === true) return
      await work(next.value)
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
}
