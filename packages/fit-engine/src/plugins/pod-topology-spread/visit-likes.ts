import type { Pod } from '@berth/types'
import type { LabelMatcher } from '../../selectors/label-matcher.ts'
import type { PodLabelIndex } from '../../state/pods/pod-label-index.ts'

/**
 * Calls `visitor` with the row of every pod in the namespace of `pod` that the selector selects and that is not
 * terminating. A selector that selects everything finds none, as upstream (v1.36).
 */
export function visitLikes(
  peers: PodLabelIndex,
  pod: Pod,
  matcher: LabelMatcher,
  visitor: (row: number) => void,
): void {
  if (matcher.kind !== 'some') return
  const wanted = pod.metadata.namespace ?? ''
  const isLike = (namespace: string, labels: Readonly<Record<string, string>>): boolean =>
    namespace === wanted && matcher.matches(labels)
  peers.visitRows({ matches: isLike, requiredLabel: matcher.requiredLabel, includesTerminating: false }, visitor)
}
