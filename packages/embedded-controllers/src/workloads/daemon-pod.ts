import {
  type ApiObject,
  type JsonObject,
  listAt,
  objectAt,
  own,
  stringAt,
  withValueAt,
} from '@berth/embedded-api-server'
import { podOfTemplate } from './controlled-object.ts'
import { selectsNode, untoleratedTaints } from '../pods/node-fit.ts'

const TERMS = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution']

/** What every pod of a DaemonSet lives through: key and effect of taints. */
const ENDURED = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
] as const

/**
 * The pod spec of a DaemonSet's template with the tolerations that its controller adds.
 *
 * @see kubernetes/kubernetes pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations (v1.36)
 */
export function daemonPodSpec(set: ApiObject): JsonObject {
  const spec = objectAt(set, 'spec', 'template', 'spec')
  const isOnHostNetwork = own(spec, 'hostNetwork') === true
  const endured = [
    ...ENDURED,
    ...(isOnHostNetwork ? [['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const] : []),
  ].map(([key, effect]) => ({ key, operator: 'Exists', effect }))
  const isOurs = (toleration: unknown): boolean =>
    endured.some(
      ({ key, effect }) =>
        stringAt(toleration, 'key') === key &&
        stringAt(toleration, 'effect') === effect &&
        stringAt(toleration, 'operator') === 'Exists',
    )
  return {
    ...spec,
    tolerations: [...listAt(spec, 'tolerations').filter((toleration) => !isOurs(toleration)), ...endured],
  }
}

/** The pod of a DaemonSet for one node: bound by nothing but a node affinity, for the scheduler to act on. */
export function daemonPod(set: ApiObject, nodeName: string, hash: string, spec: JsonObject): ApiObject {
  const field = { key: 'metadata.name', operator: 'In', values: [nodeName] }
  const old = listAt(spec, ...TERMS, 'nodeSelectorTerms')
  const terms =
    old.length === 0
      ? [{ matchFields: [field] }]
      : old.map((term) => ({ ...objectAt({ term }, 'term'), matchFields: [field] }))
  return podOfTemplate(set, {
    labels: {
      'controller-revision-hash': hash,
      'pod-template-generation': set.metadata.annotations?.['deprecated.daemonset.template.generation'] ?? '1',
    },
    spec: () => withValueAt(spec, [...TERMS, 'nodeSelectorTerms'], terms),
  })
}

/** The node that a pod of a DaemonSet is on, or waits for; `''` when it says neither. */
export function daemonNodeOf(pod: ApiObject): string {
  const bound = stringAt(pod, 'spec', 'nodeName')
  if (bound !== '') return bound
  for (const term of listAt(pod, 'spec', ...TERMS, 'nodeSelectorTerms')) {
    for (const field of listAt(term, 'matchFields')) {
      const [name] = listAt(field, 'values')
      if (stringAt(field, 'key') === 'metadata.name' && typeof name === 'string') return name
    }
  }
  return ''
}

/** Whether a DaemonSet belongs on a node, and whether a pod that is there already may stay. */
export interface DaemonPlace {
  readonly runs: boolean
  readonly stays: boolean
}

/**
 * Looks at node name, selector, affinity and taints; not at resources, as upstream.
 *
 * @see kubernetes/kubernetes pkg/controller/daemon NodeShouldRunDaemonPod (v1.36)
 */
export function daemonPlace(spec: JsonObject, node: ApiObject): DaemonPlace {
  const named = stringAt(spec, 'nodeName')
  if ((named !== '' && named !== node.metadata.name) || !selectsNode(spec, node)) return { runs: false, stays: false }
  const runs = untoleratedTaints(spec, node, ['NoSchedule', 'NoExecute']).length === 0
  return { runs, stays: runs || untoleratedTaints(spec, node, ['NoExecute']).length === 0 }
}
