import type { Namespace, Pod } from '@berth/types'
import type { Labels } from '../../selectors/label-requirement.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import type { PodLabelIndex } from '../../state/pods/pod-label-index.ts'
import {
  type AffinityTerm,
  type AffinityTerms,
  parseAffinityTerms,
  termSelects,
} from '../../selectors/affinity-terms.ts'
import { withSelectedNamespaces } from '../../selectors/affinity-terms.ts'

const noLabels: Labels = {}

/** The pod that looks for a node, with what it wants of others and what others see of it. */
export interface IncomingPod {
  readonly pod: Pod
  readonly namespace: string
  readonly labels: Labels
  readonly namespaceLabels: Labels
  /** Namespaces that selectors select are named in the terms. */
  readonly terms: AffinityTerms
}

/** Reads pod and namespace. */
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

/** Whether a term of another pod selects the incoming one. */
export function isSelectedBy({ namespace, labels, namespaceLabels }: IncomingPod, term: AffinityTerm): boolean {
  return termSelects(term, namespace, labels, namespaceLabels)
}

/** Whether a term of the incoming pod selects another. */
export function ownTermSelects(term: AffinityTerm, { metadata }: Pod): boolean {
  return termSelects(term, metadata.namespace ?? '', metadata.labels ?? noLabels, noLabels)
}

/** Calls `visitor` with the row of every pod that all of the incoming pod's `terms` select. */
export function visitSelected(
  peers: PodLabelIndex,
  terms: readonly AffinityTerm[],
  visitor: (row: number) => void,
): void {
  const isSelected = (namespace: string, labels: Labels): boolean => {
    for (const term of terms) if (!termSelects(term, namespace, labels, noLabels)) return false
    return true
  }
  const anchor = terms.find(({ matcher }) => matcher.requiredLabel !== undefined)?.matcher.requiredLabel
  peers.visitRows({ matches: isSelected, requiredLabel: anchor, includesTerminating: true }, visitor)
}
