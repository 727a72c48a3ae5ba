import type { Pod } from '@berth/types'
import type { LabelMatcher } from '../selectors/label-matcher.ts'
import type { Peers } from '../state/peers.ts'

/**
 * By row: pods of the namespace of `pod` that the selector selects and that are not terminating. A selector that
 * selects everything counts none, as upstream (v1.36).
 */
export function podsByRow(peers: Peers, rows: Int32Array, pod: Pod, matcher: LabelMatcher): Int32Array {
  if (matcher.kind !== 'some') return new Int32Array(rows.length === 0 ? 0 : (rows.at(-1) ?? 0) + 1)
  const wanted = pod.metadata.namespace ?? ''
  return peers.countByRow(rows, (namespace, labels) => namespace === wanted && matcher.matches(labels), {
    skipTerminating: true,
  })
}
