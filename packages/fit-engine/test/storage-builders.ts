import type {
  ClusterObjectKind,
  ClusterObjectKinds,
  CsiNode,
  Node,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  Volume,
} from '@berth/types'
import { type ClusterState, createClusterState } from '../src/index.ts'
import { boundPod, pod } from './builders.ts'

/** Objects of some kinds, as a state is to know them. */
export type Stored = { readonly [K in ClusterObjectKind]?: readonly ClusterObjectKinds[K][] }

/** A state with these nodes, pods and objects. */
export function stored(nodes: readonly Node[], objects: Stored = {}, pods: readonly Pod[] = []): ClusterState {
  const state = createClusterState()
  for (const node of nodes) state.setNode(node)
  for (const each of pods) state.setPod(each)
  const put = <K extends ClusterObjectKind>(kind: K, list: readonly ClusterObjectKinds[K][]): void => {
    for (const object of list) state.objects.set(kind, object)
  }
  for (const kind of Object.keys(objects) as ClusterObjectKind[]) put(kind, objects[kind] ?? [])
  return state
}

/** A node with labels. */
export function labelled(name: string, labels: Readonly<Record<string, string>> = {}): Node {
  return { metadata: { name, labels } }
}

/** A volume of a pod that uses the claim; its name is the claim's. */
export function claimed(claimName: string): Volume {
  return { name: claimName, persistentVolumeClaim: { claimName } }
}

/** The candidate, with volumes. */
export function withVolumes(...volumes: readonly Volume[]): Pod {
  return pod('p', {}, { volumes })
}

/** A pod on a node, with volumes. */
export function holder(name: string, nodeName: string, ...volumes: readonly Volume[]): Pod {
  return boundPod(name, nodeName, {}, { volumes })
}

/** A claim in the namespace `default`; bound when it names a volume. */
export function claim(
  name: string,
  spec: PersistentVolumeClaim['spec'] = {},
  { annotations, ...metadata }: ObjectMeta = {},
): PersistentVolumeClaim {
  const bound = spec.volumeName === undefined ? {} : { 'pv.kubernetes.io/bind-completed': 'yes' }
  return {
    metadata: { namespace: 'default', name, uid: name, annotations: { ...bound, ...annotations }, ...metadata },
    spec,
  }
}

/** A volume that is available. */
export function volume(name: string, spec: PersistentVolume['spec'] = {}, metadata: ObjectMeta = {}): PersistentVolume {
  return { metadata: { name, ...metadata }, spec, status: { phase: 'Available' } }
}

/** A volume of a CSI driver. */
export function csiVolume(name: string, driver: string, spec: PersistentVolume['spec'] = {}): PersistentVolume {
  return volume(name, { csi: { driver, volumeHandle: name }, ...spec })
}

/** A class whose volumes wait for the first consumer. */
export function lateClass(name: string, more: Partial<StorageClass> = {}): StorageClass {
  const provisioner = 'csi.example.com'
  return { metadata: { name }, provisioner, volumeBindingMode: 'WaitForFirstConsumer', ...more }
}

/** A CSINode with the limit of each driver. */
export function csiNode(
  name: string,
  limits: Readonly<Record<string, number | undefined>> = {},
  migrated = '',
): CsiNode {
  const drivers = Object.entries(limits).map(([driver, count]) => ({
    name: driver,
    ...(count !== undefined && { allocatable: { count } }),
  }))
  return {
    metadata: { name, annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated } },
    spec: { drivers },
  }
}

/** Node affinity of a volume: the label must have one of the values. */
export function onlyWhere(
  key: string,
  ...values: readonly string[]
): Required<Pick<PersistentVolume['spec'], 'nodeAffinity'>> {
  const nodeSelectorTerms = [{ matchExpressions: [{ key, operator: 'In', values }] }]
  return { nodeAffinity: { required: { nodeSelectorTerms } } }
}
