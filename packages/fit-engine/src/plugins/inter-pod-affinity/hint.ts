import type { Node, Pod } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { type AffinityTerm, parseAffinityTerms } from '../../selectors/affinity-terms.ts'
import { type Labels, labelOf } from '../../selectors/label-requirement.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { type EventTopic, NODE_ADDED, NODE_LABELS, objectTopic, POD_PLACEMENT } from '../../framework/event-topic.ts'

const noLabels: Labels = {}
const termsOf = cachedByPod(parseAffinityTerms)

/** A hint does not see namespaces, so a term with a namespaceSelector selects pods of every namespace. */
function mayBeSelected({ namespaces, namespaceMatcher, matcher }: AffinityTerm, { metadata }: Pod): boolean {
  const mayBeInNamespace = namespaces.has(metadata.namespace ?? '') || namespaceMatcher.kind !== 'nothing'
  return mayBeInNamespace && matcher.matches(metadata.labels ?? noLabels)
}

/** Returns whether all terms select the pod; false when there are none. */
function isSelectedByAll(terms: readonly AffinityTerm[], pod: Pod): boolean {
  return terms.length > 0 && terms.every((term) => mayBeSelected(term, pod))
}

function topologyValue({ metadata }: Node, { topologyKey }: AffinityTerm): string | undefined {
  return labelOf(metadata.labels ?? noLabels, topologyKey)
}

function isHelpedByRelabeledPod(pod: Pod, old: Pod, changed: Pod): boolean {
  const { requiredAffinity, requiredAntiAffinity } = termsOf(pod)
  return (
    (!isSelectedByAll(requiredAffinity, old) && isSelectedByAll(requiredAffinity, changed)) ||
    (isSelectedByAll(requiredAntiAffinity, old) && !isSelectedByAll(requiredAntiAffinity, changed))
  )
}

/** A new node helps anti-affinity whatever its labels are, since a node without the topology key accepts the pod. */
function isHelpedByNewNode(pod: Pod, node: Node): boolean {
  const { requiredAffinity, requiredAntiAffinity } = termsOf(pod)
  return requiredAntiAffinity.length > 0 || requiredAffinity.some((term) => topologyValue(node, term) !== undefined)
}

/**
 * Returns whether the node got a topology value that an affinity term needs, or lost or changed one for which an
 * anti-affinity term may have rejected it.
 */
function isHelpedByRelabeledNode(pod: Pod, old: Node, changed: Node): boolean {
  const { requiredAffinity, requiredAntiAffinity } = termsOf(pod)
  const isOtherDomain = (term: AffinityTerm): boolean => topologyValue(old, term) !== topologyValue(changed, term)
  return (
    requiredAffinity.some((term) => isOtherDomain(term) && topologyValue(changed, term) !== undefined) ||
    requiredAntiAffinity.some((term) => isOtherDomain(term) && topologyValue(old, term) !== undefined)
  )
}

/**
 * An event may help the pod when it changes the pods that the required terms select, or the domains of their topology
 * keys. If a term cannot be parsed, every event may help.
 *
 * Like upstream, the hint ignores some events that may help:
 * - changes of a pod that only some of several anti-affinity terms select,
 * - changes of nodes, for a pod that only the anti-affinity of existing pods rejects,
 * - deletions of pods after which a pod with affinity to itself is the first of its group.
 *
 * Such a pod waits for another event or for the periodic flush.
 * Unlike upstream, changes of namespaces and all pods that a namespaceSelector may select requeue the pod.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (v1.36)
 */
export const interPodAffinityHint: QueueingHint = (pod, event) => {
  if (event.kind === 'object') return addsOrChanges(event, 'namespaces')
  if (event.kind === 'node-deleted') return false
  const { problem, requiredAffinity, requiredAntiAffinity } = termsOf(pod)
  if (problem !== undefined) return true
  switch (event.kind) {
    case 'pod-assigned':
      return isSelectedByAll(requiredAffinity, event.pod)
    case 'pod-changed':
      return isHelpedByRelabeledPod(pod, event.old, event.pod)
    case 'pod-left': {
      const left = termsOf(event.pod)
      return (
        left.problem !== undefined ||
        isSelectedByAll(requiredAntiAffinity, event.pod) ||
        isSelectedByAll(left.requiredAntiAffinity, pod)
      )
    }
    case 'node-added':
      return isHelpedByNewNode(pod, event.node)
    case 'node-changed':
      return isHelpedByRelabeledNode(pod, event.old, event.node)
  }
}

/** Topics of the events that the hint accepts. */
export const interPodAffinityTopics: readonly EventTopic[] = [
  NODE_ADDED,
  NODE_LABELS,
  POD_PLACEMENT,
  objectTopic('namespaces'),
]
