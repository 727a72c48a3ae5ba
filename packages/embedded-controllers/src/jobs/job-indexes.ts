import type { ApiObject } from '@berth/embedded-api-server'

/** Label and annotation with the index of an Indexed Job's pod. */
export const INDEX_KEY = 'batch.kubernetes.io/job-completion-index'

/** Returns the index of a pod; undefined when it has none. */
export function indexOf(pod: ApiObject): number | undefined {
  const text = pod.metadata.annotations?.[INDEX_KEY] ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** Formats indexes as in a Job's status: `0,2-4,7`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].toSorted((a, b) => a - b)
  const runs: [first: number, last: number][] = []
  for (const index of sorted) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === index - 1) run[1] = index
    else runs.push([index, index])
  }
  // Upstream writes two consecutive indexes with a comma.
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(',')
}

/** Parses the format of {@link formatIndexes}. Ignores invalid parts and indexes from `limit` on. */
export function parseIndexes(text: string, limit: number): ReadonlySet<number> {
  const indexes = new Set<number>()
  for (const part of text.split(',')) {
    const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? []
    if (first === undefined) continue
    for (let i = Number(first); i <= Math.min(Number(last ?? first), limit - 1); i++) indexes.add(i)
  }
  return indexes
}

/** Returns the lowest free indexes below `completions`, at most `count`. */
export function missingIndexes(taken: ReadonlySet<number>, completions: number, count: number): readonly number[] {
  const missing: number[] = []
  for (let i = 0; i < completions && missing.length < count; i++) if (!taken.has(i)) missing.push(i)
  return missing
}
