import {
  assumeVolumes,
  claimForNode,
  type ClusterState,
  objectKey,
  planVolumes,
  volumeForClaim,
  type WeightedPlugin,
} from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import type { SchedulingQuestion } from './question.ts'
import { byNodeName, type FiltersAlone, filtersAlone } from './scheduling-answer.ts'

/**
 * Returns `bindings`: the volumes and claims that Berth assumes and writes for the pod, by node that VolumeBinding accepts,
 * and the result of the filter for the next pod meanwhile. Empty when there is nothing to bind.
 *
 * @param alone - Results of the filters for the pod.
 */
export function volumeBindings(
  { pod, nextPod }: SchedulingQuestion,
  state: ClusterState,
  volumeBinding: WeightedPlugin,
  alone: FiltersAlone['filters'],
): object {
  const bindings = byNodeName<unknown>()
  for (const nodeName of state.nodeNames()) {
    const plan = planVolumes(pod, state.node(state.rowOf(nodeName) ?? 0), state.objects)
    if (alone[nodeName]?.['VolumeBinding']?.code !== 'Success' || plan.kind === 'bound') continue
    if (plan.kind === 'rejected') throw new Error(`no volumes on ${nodeName}, which the filter accepts`)
    const volumes = plan.matches.map(({ volume, claim }) => {
      const { metadata, spec } = volumeForClaim(volume, claim)
      return [metadata.name, { claimRef: spec.claimRef, annotations: metadata.annotations ?? {} }]
    })
    const claims = plan.provisioned.map((claim) => [
      objectKey(claim.metadata),
      { annotations: claimForNode(claim, nodeName).metadata.annotations },
    ])
    bindings[nodeName] = {
      volumes: Object.fromEntries(volumes),
      claims: Object.fromEntries(claims),
      ...(nextPod && { next: nextStatuses(state, pod, nodeName, nextPod, volumeBinding) }),
    }
  }
  return Object.keys(bindings).length === 0 ? {} : { bindings }
}

function nextStatuses(
  state: ClusterState,
  pod: Pod,
  nodeName: string,
  nextPod: Pod,
  volumeBinding: WeightedPlugin,
): object {
  const assumed = state.fork()
  assumeVolumes(assumed, pod, nodeName)
  const { filters } = filtersAlone([volumeBinding], assumed, nextPod)
  const statuses = byNodeName<unknown>()
  for (const [node, byPlugin] of Object.entries(filters)) statuses[node] = byPlugin['VolumeBinding']
  return statuses
}
