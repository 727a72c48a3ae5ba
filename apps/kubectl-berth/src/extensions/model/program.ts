import { isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { controllerOf } from '../../explain/controller-of.ts'
import { isReady } from '../../facts/is-ready.ts'
import type { ExtensionHealth } from './extension.ts'

/** The pods that run one program: those of a workload, or a pod on its own. */
export interface Program {
  /** `DaemonSet kube-system/kindnet`, or `Pod default/a`. */
  readonly name: string
  readonly pods: readonly Pod[]
}

/** Returns `namespace/name` of an object. */
export function placeOf({ metadata }: Pick<Pod, 'metadata'>): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`
}

/** Groups pods that have not ended by the workload that controls them, sorted by name. */
export function programsOf(pods: readonly Pod[]): readonly Program[] {
  const running = pods.filter((pod) => !isTerminal(pod))
  return [...Map.groupBy(running, workloadOf)]
    .map(([name, members]) => ({ name, pods: members }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** A ReplicaSet of a Deployment has the name of the Deployment and the hash in the label of its pods. */
function workloadOf({ metadata }: Pod): string {
  const { namespace = 'default', name = '', labels = {} } = metadata
  const owner = controllerOf(metadata.ownerReferences)
  // Mirror pods of static pods belong to their node.
  if (owner === undefined || owner.kind === 'Node') return `Pod ${namespace}/${name}`
  const suffix = `-${labels['pod-template-hash'] ?? ''}`
  return owner.kind === 'ReplicaSet' && suffix !== '-' && owner.name.endsWith(suffix)
    ? `Deployment ${namespace}/${owner.name.slice(0, -suffix.length)}`
    : `${owner.kind} ${namespace}/${owner.name}`
}

/** Returns `3 of 4 pods are ready`. */
export function readinessText({ pods }: Program): string {
  return `${pods.filter(isReady).length} of ${pods.length} pods are ready`
}

/** A program works when all its pods are ready. */
export function healthOf({ pods }: Program): ExtensionHealth {
  return pods.every(isReady) ? 'healthy' : 'unhealthy'
}

/** Returns the paths of the host that a pod mounts. */
export function hostPathsOf({ spec }: Pick<Pod, 'spec'>): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ hostPath }) => {
    const { path } = (hostPath ?? {}) as { readonly path?: string }
    return path === undefined ? [] : path.replace(/\/+$/, '')
  })
}
