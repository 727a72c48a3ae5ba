import type { Pod } from '@berth/types'
import type { LabelMatcher } from '../../selectors/label-matcher.ts'
import type { Peers } from '../../state/pods/peers.ts'

/**
 * Calls `visitor` with the row of every pod in the namespace of `pod` that the selector selects and that is not
 * terminating. A selector that selects everything finds none, as upstream (v1.36).
 */
export function visitLikes(peers: Peers, pod: Pod, matcher: LabelMatcher, visitor: (row: number) => void): void {
  if (matcher.kind !== 'some') return
  const wanted = pod.metadata.namespace ?? ''
  const isLike = (namespace: string, labels: Readonly<Record<string, string>>): boolean =>
    namespace === wanted && matcher.matches(labels)
  peers.visit({ selects: isLike, anchor: matcher.anchor, withTerminating: false }, visitor)
}
