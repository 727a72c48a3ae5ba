import { type BuiltInArgs, type ClusterState, createClusterState, defaultPlugins } from '@berth/fit-engine'
import type { WeightedPlugin } from '@berth/fit-engine'
import type { ClusterObjectKinds, Node, Pod } from '@berth/types'

const OBJECT_KINDS = [
  'namespaces',
  'services',
  'replicationControllers',
  'replicaSets',
  'statefulSets',
  'persistentVolumes',
  'persistentVolumeClaims',
  'storageClasses',
  'csiNodes',
  'csiDrivers',
  'csiStorageCapacities',
  'volumeAttachments',
  'deviceClasses',
] as const
type ObjectKind = (typeof OBJECT_KINDS)[number]

/** The input of a scheduling vector: a cluster and a pod. Each kind uses the fields that its plugins read. */
export type SchedulingQuestion = { readonly [K in ObjectKind]?: readonly ClusterObjectKinds[K][] } & {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly nominatedPods?: readonly Pod[]
  readonly pod: Pod
  /** Tried while the volumes of `pod` are assumed. */
  readonly nextPod?: Pod
  readonly args?: NonNullable<BuiltInArgs['NodeResourcesFit']>
  readonly balancedArgs?: NonNullable<BuiltInArgs['NodeResourcesBalancedAllocation']>
  readonly nodeAffinityArgs?: NonNullable<BuiltInArgs['NodeAffinity']>
  readonly podTopologySpreadArgs?: NonNullable<BuiltInArgs['PodTopologySpread']>
  readonly interPodAffinityArgs?: NonNullable<BuiltInArgs['InterPodAffinity']>
}

/** Returns the default profile with the question's plugin arguments. @throws ProfileError when they are refused. */
export function profileOf(question: SchedulingQuestion): readonly WeightedPlugin[] {
  const { args, balancedArgs, nodeAffinityArgs, podTopologySpreadArgs, interPodAffinityArgs } = question
  return defaultPlugins({
    ...(args && { NodeResourcesFit: args }),
    ...(balancedArgs && { NodeResourcesBalancedAllocation: balancedArgs }),
    ...(nodeAffinityArgs && { NodeAffinity: nodeAffinityArgs }),
    ...(podTopologySpreadArgs && { PodTopologySpread: podTopologySpreadArgs }),
    ...(interPodAffinityArgs && { InterPodAffinity: interPodAffinityArgs }),
  })
}

/** Creates the cluster state that the question describes. */
export function stateOf(question: SchedulingQuestion): ClusterState {
  const state = createClusterState()
  for (const node of question.nodes) state.setNode(node)
  for (const pod of question.pods ?? []) state.setPod(pod)
  for (const pod of question.nominatedPods ?? []) state.nominate(pod, pod.status?.nominatedNodeName ?? '')
  for (const kind of OBJECT_KINDS) setAll(state, kind, question[kind] ?? [])
  return state
}

function setAll<K extends ObjectKind>(state: ClusterState, kind: K, objects: readonly ClusterObjectKinds[K][]): void {
  for (const object of objects) state.objects.set(kind, object)
}
