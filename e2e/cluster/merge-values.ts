type Tree = { readonly [key: string]: unknown }

/** Merges chart values: objects key by key, lists by concatenation. Of other values, the last one wins. */
export function mergeValues(...trees: readonly unknown[]): unknown {
  return trees.reduce(mergeTrees)
}

function mergeTrees(old: unknown, now: unknown): unknown {
  if (Array.isArray(old) && Array.isArray(now)) return [...(old as unknown[]), ...(now as unknown[])]
  if (!isTree(old) || !isTree(now)) return now
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      Object.hasOwn(old, name) && Object.hasOwn(now, name)
        ? mergeTrees(old[name], now[name])
        : (now[name] ?? old[name]),
    ]),
  )
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
