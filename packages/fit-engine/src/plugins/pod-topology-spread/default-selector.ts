import type { ClusterObjectsReader, Pod, Workload } from '@berth/types'
import { labelOf, type Labels } from '../../selectors/label-requirement.ts'
import { type LabelMatcher, labelsMatcher, parseLabelMatcher, addRequirements } from '../../selectors/label-matcher.ts'

const noLabels: Labels = {}

/** Returns the merged selectors of all services that select the pod. */
function serviceLabels({ metadata: podMetadata }: Pod, objects: ClusterObjectsReader): Labels {
  const namespace = podMetadata.namespace ?? ''
  const labels = podMetadata.labels ?? noLabels
  const merged: [string, string][] = []
  for (const { metadata, spec } of objects.list('services')) {
    if ((metadata.namespace ?? '') !== namespace || spec?.selector == null) continue
    const entries = Object.entries(spec.selector)
    if (entries.every(([key, value]) => labelOf(labels, key) === value)) merged.push(...entries)
  }
  return Object.fromEntries(merged)
}

/** Adds the selector of a workload to the matcher; an absent or invalid selector is ignored. */
function withWorkload(workload: Workload | undefined, matcher: LabelMatcher): LabelMatcher {
  const parsed = parseLabelMatcher(workload?.spec?.selector)
  return parsed.kind === 'valid' ? addRequirements(parsed.matcher, matcher) : matcher
}

/**
 * Returns a matcher for the pods that belong together with this one, by the services that select it and its controller.
 * It matches everything when there is neither.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/helper/spread.go DefaultSelector (v1.36)
 */
export function defaultSelector(pod: Pod, objects: ClusterObjectsReader): LabelMatcher {
  const labels = serviceLabels(pod, objects)
  const matcher = labelsMatcher(labels)
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return matcher
  const key = `${pod.metadata.namespace ?? ''}/${owner.name}`
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case 'v1 ReplicationController': {
      const selector = objects.get('replicationControllers', key)?.spec?.selector as Labels | undefined
      return labelsMatcher({ ...labels, ...selector })
    }
    case 'apps/v1 ReplicaSet':
      return withWorkload(objects.get('replicaSets', key), matcher)
    case 'apps/v1 StatefulSet':
      return withWorkload(objects.get('statefulSets', key), matcher)
    default:
      return matcher
  }
}
