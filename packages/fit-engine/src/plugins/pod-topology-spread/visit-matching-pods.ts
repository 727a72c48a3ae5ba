import type { Pod } from '@berth/types'
import type { LabelMatcher } from '../../selectors/label-matcher.ts'
import type { PodLabelIndex } from '../../state/pods/pod-label-index.ts'

/**
 * Calls `visitor` with the row of every pod in the namespace of `pod` that the matcher matches and that is not
 * terminating. As upstream (v1.36), a matcher that matches everything finds no pods.
 */
export function visitMatchingPods(
  podLabels: PodLabelIndex,
  pod: Pod,
  matcher: LabelMatcher,
  visitor: (row: number) => void,
): void {
  if (matcher.kind !== 'some') return
  const ownNamespace = pod.metadata.namespace ?? ''
  const isMatching = (namespace: string, labels: Readonly<Record<string, string>>): boolean =>
    namespace === ownNamespace && matcher.matches(labels)
  podLabels.visitRows(
    { matches: isMatching, requiredLabel: matcher.requiredLabel, includesTerminating: false },
    visitor,
  )
}
