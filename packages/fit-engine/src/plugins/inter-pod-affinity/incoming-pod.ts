import type { Namespace, Pod } from '@berth/types'
import type { Labels } from '../../selectors/label-requirement.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import type { PodLabelIndex } from '../../state/pods/pod-label-index.ts'
import { type AffinityTerm, type AffinityTerms, parseAffinityTerms } from '../../selectors/affinity-terms.ts'
import { termSelects, withSelectedNamespaces } from '../../selectors/affinity-terms.ts'

const noLabels: Labels = {}

/** The pod that is scheduled, with its parsed terms and the labels that terms of other pods match. */
export interface IncomingPod {
  readonly pod: Pod
  readonly namespace: string
  readonly labels: Labels
  readonly namespaceLabels: Labels
  /** The parsed terms. Each namespaceSelector is replaced by the names of the namespaces that it selects. */
  readonly terms: AffinityTerms
}

/** Returns the parsed pod and the labels of its namespace. */
export function incomingPod(pod: Pod, { objects }: ClusterTable): IncomingPod {
  const namespace = pod.metadata.namespace ?? ''
  const terms = parseAffinityTerms(pod)
  const namespaces = (): readonly Namespace[] => objects.list('namespaces')
  const merged = (list: readonly AffinityTerm[]) => list.map((term) => withSelectedNamespaces(term, namespaces))
  return {
    pod,
    namespace,
    labels: pod.metadata.labels ?? noLabels,
    namespaceLabels: objects.get('namespaces', namespace)?.metadata.labels ?? noLabels,
    terms: {
      requiredAffinity: merged(terms.requiredAffinity),
      requiredAntiAffinity: merged(terms.requiredAntiAffinity),
      preferredAffinity: merged(terms.preferredAffinity),
      preferredAntiAffinity: merged(terms.preferredAntiAffinity),
      problem: terms.problem,
    },
  }
}

/** Returns whether a term of another pod selects the incoming one. */
export function isSelectedBy({ namespace, labels, namespaceLabels }: IncomingPod, term: AffinityTerm): boolean {
  return termSelects(term, namespace, labels, namespaceLabels)
}

/** Returns whether a term of the incoming pod selects another pod. */
export function ownTermSelects(term: AffinityTerm, { metadata }: Pod): boolean {
  return termSelects(term, metadata.namespace ?? '', metadata.labels ?? noLabels, noLabels)
}

/** Calls `visitor` with the row of every pod that all `terms` of the incoming pod select. */
export function visitSelected(
  podLabels: PodLabelIndex,
  terms: readonly AffinityTerm[],
  visitor: (row: number) => void,
): void {
  const isSelected = (namespace: string, labels: Labels): boolean => {
    for (const term of terms) if (!termSelects(term, namespace, labels, noLabels)) return false
    return true
  }
  const requiredLabel = terms.find(({ matcher }) => matcher.requiredLabel !== undefined)?.matcher.requiredLabel
  podLabels.visitRows({ matches: isSelected, requiredLabel, includesTerminating: true }, visitor)
}
