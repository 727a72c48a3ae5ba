import { projectPod } from '@berth/cluster-view'
import { isBound } from '@berth/resources'
import type { Pod, Volume } from '@berth/types'
import { controllerOf } from './controller-of.ts'

/** Labels that differ between the pods of one workload. A rule that selects by them is decided for the first of the pods. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'batch.kubernetes.io/job-completion-index',
])

/** Sources of volumes that no filter looks at. */
const PLAIN_SOURCES = ['configMap', 'downwardAPI', 'emptyDir', 'hostPath', 'projected', 'secret'] as const

/**
 * Returns a key that pods of one workload share when every filter decides on them alike, so that a thousand pods of a
 * Deployment are decided once. Undefined for a pod without a controller, and for one with a node or a nomination.
 */
export function decisionKeyOf(pod: Pod): string | undefined {
  const { metadata, spec, status } = pod
  const owner = controllerOf(metadata.ownerReferences)?.uid
  if (owner === undefined || isBound(pod) || status?.nominatedNodeName !== undefined) return undefined
  const { spec: projected } = projectPod(pod)
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !OWN_LABELS.has(key))
  const volumes = (spec.volumes ?? []).filter((volume) => !isPlain(volume))
  const containers = [...projected.containers, ...(projected.initContainers ?? [])].map(
    ({ name, ports, resources, restartPolicy, restartPolicyRules, image }) => [
      name,
      image,
      ports,
      resources,
      restartPolicy,
      restartPolicyRules,
    ],
  )
  const { containers: _c, initContainers: _i, volumes: _v, ...rest } = projected
  const { hostname: _h, ...rules } = rest as typeof rest & { readonly hostname?: string }
  return JSON.stringify([owner, metadata.namespace, labels, rules, containers, volumes])
}

function isPlain(volume: Volume): boolean {
  return PLAIN_SOURCES.some((source) => (volume as unknown as Record<string, unknown>)[source] != null)
}
