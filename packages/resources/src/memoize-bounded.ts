/**
 * Remembers the answers of a pure function for as many different texts as `limit`, then forgets them all:
 * a cluster has few distinct quantities and names, and a hostile client must not fill the memory.
 *
 * @param maxLength - Longer texts are answered without being remembered.
 */
export function memoizeBounded<T>(
  compute: (text: string) => T,
  { limit, maxLength }: { readonly limit: number; readonly maxLength: number },
): (text: string) => T {
  const answers = new Map<string, T>()
  return (text) => {
    const known = answers.get(text)
    if (known !== undefined) return known
    const answer = compute(text)
    if (text.length <= maxLength) {
      if (answers.size >= limit) answers.clear()
      answers.set(text, answer)
    }
    return answer
  }
}
