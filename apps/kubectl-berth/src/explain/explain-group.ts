import { type ClusterSnapshot, findPodGroup, isListed } from '@berth/cluster-view'
import {
  compareMembers,
  groupFitMessage,
  groupHold,
  isGroupFeasible,
  isGroupInForce,
  isLiveMember,
  missingGroupResources,
  placeGroup,
  podGroupKey,
  podGroupKeyOf,
  podGroupRefOf,
  StateError,
  unsupportedGroupMessage,
  type Framework,
} from '@berth/fit-engine'
import { type Cluster, isApiStatus } from '@berth/k8s-client'
import { isBound } from '@berth/resources'
import type { Pod, PodGroup, PodGroupRef } from '@berth/types'
import { evaluablePod } from './evaluable-pod.ts'

/** The cluster and the engine from which a group is explained. */
export interface ExplainGroupInput {
  readonly cluster: Pick<Cluster, 'client' | 'servedResources'>
  readonly snapshot: Pick<ClusterSnapshot, 'state' | 'pods' | 'forbidden' | 'fallbackNamespace'>
  readonly framework: Framework
  readonly nowMs: number
  readonly random: () => number
  readonly signal: AbortSignal
}

/**
 * Explains why the group of a pod waits, or that it fits, in one sentence without a full stop.
 *
 * @returns Undefined for a pod without a group, and for a bound pod.
 */
export async function explainGroup(pod: Pod, input: ExplainGroupInput): Promise<string | undefined> {
  const ref = podGroupRefOf(pod)
  if (ref === undefined || isBound(pod)) return undefined
  if (!isListed(input.snapshot, 'pods', ref.namespace)) return notEvaluated(ref, 'list pods')
  try {
    const { isServed, group } = await findPodGroup(input.cluster, ref, input.signal)
    return isGroupInForce(ref.api, isServed) ? describeGroup(pod, { ref, isServed, group }, input) : undefined
  } catch (error) {
    if (isApiStatus(error, 403)) {
      return notEvaluated(ref, 'read podgroups')
    }
    if (error instanceof StateError) return `waiting until the group can be read: ${error.message}`
    throw error
  }
}

function notEvaluated({ namespace, name }: PodGroupRef, right: string): string {
  return `pod group ${namespace}/${name} was not evaluated: this user may not ${right}`
}

function describeGroup(
  pod: Pod,
  {
    ref,
    isServed,
    group,
  }: { readonly ref: PodGroupRef; readonly isServed: boolean; readonly group: PodGroup | undefined },
  { snapshot, framework, nowMs, random }: ExplainGroupInput,
): string | undefined {
  const key = podGroupKey(ref)
  const isMember = (other: Pod): boolean => podGroupKeyOf(other) === key && isLiveMember(other)
  const existing = snapshot.pods.filter(isMember)
  // A pod of a manifest does not exist yet.
  const members = existing.some(({ metadata }) => metadata.uid === pod.metadata.uid) ? existing : [...existing, pod]
  const hold = groupHold({ ref, isServed, group, members: members.length })
  if (hold !== undefined || group === undefined) return hold
  const refusal = unsupportedGroupMessage(group)
  if (refusal !== undefined) return refusal
  const pending = members.filter((each) => !isBound(each)).toSorted(compareMembers)
  const scheduled = members.length - pending.length
  const lack = scheduled === 0 ? missingGroupResources(snapshot.state, group) : undefined
  if (lack !== undefined) return lack
  const evaluable = pending.map((each) => evaluablePod(each, snapshot).pod)
  const { nodes, message } = placeGroup(framework, snapshot.state, evaluable, { nowMs, random })
  const placed = nodes.filter((node) => node !== undefined).length
  const fit = groupFitMessage(group, { scheduled, placed, pending: pending.length })
  return isGroupFeasible(group, scheduled, placed) || message === ''
    ? fit
    : `${fit}; the first that does not fit: ${message}`
}
