/**
 * Maximum number of distinct reasons of one contributed plugin in a message. If there are more, they are merged into
 * one.
 */
export const MAX_LISTED_REASONS = 3

/** A rejection of one or more nodes. */
interface CountableRejection {
  readonly plugin: string
  readonly reasons: readonly string[]
}

const nothingMerged: ReadonlyMap<string, readonly string[]> = new Map()

/**
 * Merges the reasons of each contributed plugin that gives more than {@link MAX_LISTED_REASONS} of them, for example
 * one per node. An event with thousands of reasons would not be readable. Reasons of built-in plugins are
 * kube-scheduler's and are never merged.
 *
 * @param rejections - Rejections with the number of nodes that have each.
 * @param contributed - See {@link Framework.contributed}.
 * @returns By plugin, a list with the one text that replaces all of its reasons: `rejected by plugin X: REASON and 4
 *   other
 * reasons`, where REASON is the most frequent one. A plugin that is not in the map keeps its reasons.
 */
export function mergeReasons(
  rejections: Iterable<readonly [CountableRejection, number]>,
  contributed: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  if (contributed.size === 0) return nothingMerged
  const countsByPlugin = new Map<string, Map<string, number>>()
  for (const [{ plugin, reasons }, count] of rejections) {
    if (count === 0 || !contributed.has(plugin)) continue
    let counts = countsByPlugin.get(plugin)
    if (counts === undefined) countsByPlugin.set(plugin, (counts = new Map()))
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count)
  }
  const merged = new Map<string, readonly string[]>()
  for (const [plugin, counts] of countsByPlugin) {
    if (counts.size <= MAX_LISTED_REASONS) continue
    // Equal counts are ordered by text, so that the message of the next attempt is the same.
    const [first] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    merged.set(plugin, [`rejected by plugin ${plugin}: ${first?.[0] ?? ''} and ${counts.size - 1} other reasons`])
  }
  return merged
}
