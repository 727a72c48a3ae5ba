import { type ClusterEvent, findBuiltIn } from '@berth/fit-engine'
import type { ClusterObjectKind, ClusterObjectKinds, Node, Pod } from '@berth/types'
import type { VectorKind } from './vector-kind.ts'

/** A change, as the oracle's question names it: without `old` for an added object, without `new` for a deleted one. */
interface HintQuestion {
  readonly pod: Pod
  readonly resource: string
  readonly old?: unknown
  readonly new?: unknown
}

const plugins = ['VolumeRestrictions', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'] as const

const objectKinds: Readonly<Record<string, ClusterObjectKind>> = {
  PersistentVolume: 'persistentVolumes',
  PersistentVolumeClaim: 'persistentVolumeClaims',
  StorageClass: 'storageClasses',
  CSINode: 'csiNodes',
  CSIDriver: 'csiDrivers',
  CSIStorageCapacity: 'csiStorageCapacities',
  VolumeAttachment: 'volumeAttachments',
}

function eventOf({ resource, ...change }: HintQuestion): ClusterEvent {
  if (resource === 'Pod') {
    const [old, pod] = [change.old as Pod, change.new as Pod]
    if (change.old === undefined) return { kind: 'pod-assigned', pod }
    return change.new === undefined ? { kind: 'pod-left', pod: old } : { kind: 'pod-changed', old, pod }
  }
  if (resource === 'Node') {
    const [old, node] = [change.old as Node, change.new as Node]
    if (change.old === undefined) return { kind: 'node-added', node }
    return change.new === undefined ? { kind: 'node-deleted', node: old } : { kind: 'node-changed', old, node }
  }
  const kind = objectKinds[resource]
  if (kind === undefined) throw new Error(`unknown resource ${resource}`)
  const isDeleted = change.new === undefined
  const object = (change.new ?? change.old) as ClusterObjectKinds[ClusterObjectKind]
  const old = isDeleted || change.old === undefined ? {} : { old: change.old }
  return { kind: 'object', resource: kind, metadata: object.metadata, isDeleted, object, ...old } as ClusterEvent
}

function answer(input: unknown): unknown {
  const question = input as HintQuestion
  const event = eventOf(question)
  const queued = plugins.map((name) => [name, findBuiltIn(name)?.hint?.(question.pod, event)])
  return { ok: true, queued: Object.fromEntries(queued) }
}

/** Which plugins that read volumes requeue a pod after a change, when they have rejected it. */
export const volumeHintsKind: VectorKind = { answer }
