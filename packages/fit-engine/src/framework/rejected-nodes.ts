import type { Refusal } from './cycle.ts'

/** Nodes that were turned away, by row or, where they have no row, by name. */
export interface RejectedNodes {
  readonly rows: readonly number[]
  /** Position by position the refusal of `rows`. */
  readonly refusals: readonly Refusal[]
  readonly unknownNames: readonly string[]
  readonly unknown: Refusal
}

/** Reason -> number of nodes that gave it. */
export function countReasons(nodes: RejectedNodes): ReadonlyMap<string, number> {
  const byRefusal = new Map<Refusal, number>()
  let last: Refusal | undefined
  let run = 0
  for (const refusal of nodes.refusals) {
    if (refusal === last) {
      run += 1
      continue
    }
    if (last !== undefined) byRefusal.set(last, (byRefusal.get(last) ?? 0) + run)
    last = refusal
    run = 1
  }
  if (last !== undefined) byRefusal.set(last, (byRefusal.get(last) ?? 0) + run)
  if (nodes.unknownNames.length > 0) byRefusal.set(nodes.unknown, nodes.unknownNames.length)
  const counts = new Map<string, number>()
  for (const [refusal, count] of byRefusal) {
    for (const reason of refusal.reasons) counts.set(reason, (counts.get(reason) ?? 0) + count)
  }
  return counts
}
