import { isTerminal, resourceAmounts } from '@berth/resources'
import type { Pod, PodGroup, PodGroupApi, PodGroupRef } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'

/** The label by which scheduler-plugins' Coscheduling finds the group of a pod. */
export const POD_GROUP_LABEL = 'scheduling.x-k8s.io/pod-group'

/**
 * Returns the group that a pod names: in `spec.schedulingGroup`, otherwise by scheduler-plugins' label. Whether the
 * cluster serves that API is another question.
 */
export function podGroupRefOf({ metadata, spec }: Pod): PodGroupRef | undefined {
  const { namespace = 'default' } = metadata
  const name = spec.schedulingGroup?.podGroupName
  if (name != null && name !== '') return { api: 'scheduling.k8s.io', namespace, name }
  const label = metadata.labels?.[POD_GROUP_LABEL]
  return label == null || label === '' ? undefined : { api: 'scheduling.x-k8s.io', namespace, name: label }
}

/** Returns a unique text for the group, for maps. */
export function podGroupKey({ api, namespace, name }: PodGroupRef): string {
  return `${api}/${namespace}/${name}`
}

/** Returns the key of the group that a pod names; undefined for a pod without a group. */
export function podGroupKeyOf(pod: Pod): string | undefined {
  const ref = podGroupRefOf(pod)
  return ref && podGroupKey(ref)
}

/**
 * Returns whether the pod counts as a member of its group: it has not ended and is not being deleted. Unlike
 * kube-scheduler, which counts a terminating pod, so that its replacement cannot be placed without a complete group.
 */
export function isLiveMember(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isTerminal(pod)
}

/** The knowledge about the group of a pod. */
export interface GroupFacts {
  readonly ref: PodGroupRef
  /** Undefined while it is not known whether the cluster serves the API. */
  readonly isServed: boolean | undefined
  /** Undefined when there is no such group. */
  readonly group: PodGroup | undefined
  /** Number of pods that name the group: bound, assumed and pending. */
  readonly members: number
}

/** Returns whether a pod that names a group of this API is placed with it: the label counts only where it is served. */
export function isGroupInForce(api: PodGroupApi, isServed: boolean | undefined): boolean {
  return api === 'scheduling.k8s.io' || isServed !== false
}

/**
 * Returns why the members of a group must not be attempted yet; undefined when they may. A group with unsupported fields
 * does not wait: the attempt refuses it by name.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go PreEnqueue (v1.36)
 */
export function groupHold({ ref, isServed, group, members }: GroupFacts): string | undefined {
  const name = `pod group ${ref.namespace}/${ref.name}`
  if (isServed === undefined)
    return `waiting for ${name}: the pod groups of ${ref.api} are not read yet; the log says why if this lasts`
  if (!isServed) return `waiting for ${name}: the cluster does not serve PodGroup of ${ref.api}`
  if (group === undefined) return `waiting for ${name} to be created`
  if (group.unsupported.length > 0 || members >= group.minCount) return undefined
  return `waiting for more pods of ${name}: ${members} of at least ${group.minCount} exist`
}

/** Returns the message that refuses the members of a group with unsupported fields; undefined without such fields. */
export function unsupportedGroupMessage({ ref, unsupported }: PodGroup): string | undefined {
  if (unsupported.length === 0) return undefined
  const remedy = 'recreate the group without this field, or use the schedulerName of a scheduler that implements it'
  return `pod group ${ref.namespace}/${ref.name} uses features that this scheduler does not implement: ${unsupported.join('; ')} (${remedy})`
}

/**
 * Returns whether a group is feasible.
 *
 * @param scheduled - Members that are bound or assumed already.
 * @param placed - Members for which a node was found now.
 */
export function isGroupFeasible({ minCount }: PodGroup, scheduled: number, placed: number): boolean {
  return placed > 0 && scheduled + placed >= minCount
}

/** Returns how many members of a group fit, in one sentence. */
export function groupFitMessage(
  { ref, minCount }: PodGroup,
  { scheduled, placed, pending }: { readonly scheduled: number; readonly placed: number; readonly pending: number },
): string {
  const running = scheduled === 0 ? '' : `, ${scheduled} already have a node`
  return `pod group ${ref.namespace}/${ref.name}: ${placed} of ${pending} waiting members fit${running}, at least ${minCount} must fit together`
}

/**
 * Returns what the cluster lacks of `minResources`; undefined when the free resources of all nodes together suffice.
 *
 * @see sigs.k8s.io/scheduler-plugins pkg/coscheduling/core CheckClusterResource
 */
export function missingGroupResources(state: ClusterState, { ref, minResources }: PodGroup): string | undefined {
  const missing: string[] = []
  for (const [name, needed] of resourceAmounts(minResources)) {
    let free = 0n
    for (const nodeName of state.nodeNames()) {
      const row = state.rowOf(nodeName)
      if (row === undefined) continue
      const amount = state.allocatable(row, name) - state.requested(row, name)
      if (amount > 0n) free += amount
      if (free >= needed) break
    }
    if (free < needed) missing.push(name)
  }
  if (missing.length === 0) return undefined
  return `pod group ${ref.namespace}/${ref.name}: the cluster has less than minResources free of ${missing.join(', ')}`
}
