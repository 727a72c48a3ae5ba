import {
  type ApiObject,
  type JsonObject,
  listAt,
  objectAt,
  own,
  stringAt,
  withValueAt,
} from '@berth/embedded-api-server'
import { podFromTemplate } from './controlled-object.ts'
import { selectsNode, untoleratedTaints } from '../pods/node-fit.ts'

const REQUIRED_NODE_AFFINITY = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution']

/** Key and effect of the taints that every pod of a DaemonSet tolerates. */
const TOLERATED_TAINTS = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
] as const

/**
 * Returns the pod spec of a DaemonSet's template with the tolerations that the controller adds.
 *
 * @see kubernetes/kubernetes pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations (v1.36)
 */
export function daemonPodSpec(set: ApiObject): JsonObject {
  const spec = objectAt(set, 'spec', 'template', 'spec')
  const isOnHostNetwork = own(spec, 'hostNetwork') === true
  const tolerations = [
    ...TOLERATED_TAINTS,
    ...(isOnHostNetwork ? [['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const] : []),
  ].map(([key, effect]) => ({ key, operator: 'Exists', effect }))
  const isOwn = (toleration: unknown): boolean =>
    tolerations.some(
      ({ key, effect }) =>
        stringAt(toleration, 'key') === key &&
        stringAt(toleration, 'effect') === effect &&
        stringAt(toleration, 'operator') === 'Exists',
    )
  return {
    ...spec,
    tolerations: [...listAt(spec, 'tolerations').filter((toleration) => !isOwn(toleration)), ...tolerations],
  }
}

/** Returns the pod of a DaemonSet for one node. A node affinity makes the scheduler bind it to that node. */
export function daemonPod(set: ApiObject, nodeName: string, hash: string, spec: JsonObject): ApiObject {
  const field = { key: 'metadata.name', operator: 'In', values: [nodeName] }
  const old = listAt(spec, ...REQUIRED_NODE_AFFINITY, 'nodeSelectorTerms')
  const terms =
    old.length === 0
      ? [{ matchFields: [field] }]
      : old.map((term) => ({ ...objectAt({ term }, 'term'), matchFields: [field] }))
  return podFromTemplate(set, {
    labels: {
      'controller-revision-hash': hash,
      'pod-template-generation': set.metadata.annotations?.['deprecated.daemonset.template.generation'] ?? '1',
    },
    spec: () => withValueAt(spec, [...REQUIRED_NODE_AFFINITY, 'nodeSelectorTerms'], terms),
  })
}

/** Returns the node to which a pod of a DaemonSet is bound or will be bound; `''` when it names none. */
export function daemonNodeOf(pod: ApiObject): string {
  const bound = stringAt(pod, 'spec', 'nodeName')
  if (bound !== '') return bound
  for (const term of listAt(pod, 'spec', ...REQUIRED_NODE_AFFINITY, 'nodeSelectorTerms')) {
    for (const field of listAt(term, 'matchFields')) {
      const [name] = listAt(field, 'values')
      if (stringAt(field, 'key') === 'metadata.name' && typeof name === 'string') return name
    }
  }
  return ''
}

/** Whether a DaemonSet should run on a node, and whether an existing pod may stay there. */
export interface DaemonEligibility {
  readonly shouldRun: boolean
  readonly mayStay: boolean
}

/**
 * Checks node name, selector, affinity and taints but, like upstream, not resources.
 *
 * @see kubernetes/kubernetes pkg/controller/daemon NodeShouldRunDaemonPod (v1.36)
 */
export function daemonEligibility(spec: JsonObject, node: ApiObject): DaemonEligibility {
  const named = stringAt(spec, 'nodeName')
  if ((named !== '' && named !== node.metadata.name) || !selectsNode(spec, node))
    return { shouldRun: false, mayStay: false }
  const shouldRun = untoleratedTaints(spec, node, ['NoSchedule', 'NoExecute']).length === 0
  return { shouldRun, mayStay: shouldRun || untoleratedTaints(spec, node, ['NoExecute']).length === 0 }
}
