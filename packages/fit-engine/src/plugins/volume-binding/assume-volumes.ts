import type { Pod } from '@berth/types'
import type { ClusterState } from '../../state/cluster-state.ts'
import { claimForNode, planVolumes, volumeForClaim } from './plan-volumes.ts'

/**
 * Changes the volumes and claims in the state as binding the pod's claims on the node would, so that later decisions do
 * not give the volumes to other pods. Call it on a fork only, because nothing confirms or undoes the change. Does
 * nothing when the node is unknown or the claims need no change.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go AssumePodVolumes (v1.36)
 */
export function assumeVolumes(state: ClusterState, pod: Pod, nodeName: string): void {
  const row = state.rowOf(nodeName)
  const plan = row === undefined ? undefined : planVolumes(pod, state.node(row), state.objects)
  if (plan?.kind !== 'found') return
  for (const { volume, claim } of plan.matches) state.objects.set('persistentVolumes', volumeForClaim(volume, claim))
  for (const claim of plan.provisioned) state.objects.set('persistentVolumeClaims', claimForNode(claim, nodeName))
}
