/** Calls `work` for each item, at most `jobs` at once, in the order of the items. Starts no more once `signal` is aborted. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  { jobs, signal }: { readonly jobs: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<void>,
): Promise<void> {
  // The jobs share one iterator, so that each takes the next item.
  const rest = items.values()
  const job = async (): Promise<void> => {
    for (const item of rest) {
      if (signal.aborted) return
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: jobs }, job))
}
