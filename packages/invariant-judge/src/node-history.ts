import type { Node } from '@berth/types'

/** The versions of each node that a component may have seen last. */
export interface NodeHistory {
  /** Records the version of a node from now on; undefined when it was deleted. */
  set(name: string, node: Node | undefined, atMs: number): void
  /** Returns the versions that were current at any time since `sinceMs`. */
  since(name: string, sinceMs: number): readonly Node[]
}

/** Creates a history that forgets versions which were replaced more than `keepMs` ago. */
export function createNodeHistory(keepMs: number): NodeHistory {
  const versions = new Map<string, { readonly node: Node | undefined; readonly fromMs: number; untilMs: number }[]>()
  return {
    set(name, node, atMs) {
      const kept = (versions.get(name) ?? []).filter(({ untilMs }) => untilMs >= atMs - keepMs)
      const last = kept.at(-1)
      if (last !== undefined) last.untilMs = Math.min(last.untilMs, atMs)
      versions.set(name, [...kept, { node, fromMs: atMs, untilMs: Infinity }])
    },
    since: (name, sinceMs) =>
      (versions.get(name) ?? []).filter(({ untilMs }) => untilMs >= sinceMs).flatMap(({ node }) => node ?? []),
  }
}
