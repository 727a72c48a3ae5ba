/**
 * Caches the results of a pure function for up to `limit` texts, and empties the cache when it is full. A cluster has
 * few distinct quantities and names, but a hostile client must not be able to fill the memory.
 *
 * @param maxLength - Results for longer texts are not cached.
 */
export function memoizeBounded<T>(
  compute: (text: string) => T,
  { limit, maxLength }: { readonly limit: number; readonly maxLength: number },
): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const cached = results.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (text.length <= maxLength) {
      if (results.size >= limit) results.clear()
      results.set(text, result)
    }
    return result
  }
}
