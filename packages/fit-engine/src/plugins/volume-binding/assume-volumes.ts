import type { Pod } from '@berth/types'
import type { ClusterState } from '../../state/cluster-state.ts'
import { claimForNode, planVolumes, volumeForClaim } from './plan-volumes.ts'

/**
 * Takes the volumes that the pod's unbound claims get on the node, so that later decisions do not give them to other
 * pods. Call it on a fork, where nothing confirms or undoes it, when a profile with VolumeBinding chose the node.
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
