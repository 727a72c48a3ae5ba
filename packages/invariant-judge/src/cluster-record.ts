import {
  type ExtendedResource,
  isRecord,
  applyJsonMergePatch,
  type Node,
  type ObjectMeta,
  type Pod,
} from '@berth/types'
import type { AuditedObject, Write } from './audit-record.ts'

/** The cluster as the accepted writes of the audit log made it. */
export interface ClusterRecord {
  /** Nodes by name. */
  readonly nodes: ReadonlyMap<string, Node>
  /** Pods by `namespace/name`. */
  readonly pods: ReadonlyMap<string, Pod>
  /** Declarations of extended resources by name. */
  readonly declarations: ReadonlyMap<string, ExtendedResource>
  /** Data of ConfigMaps by `namespace/name`. */
  readonly configMaps: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Applies a write. Returns the pod that a Binding bound, as it was before. */
  apply(write: Write): Pod | undefined
}

/** The kind of a response for a client that asked for the metadata alone. */
const METADATA_ONLY = 'PartialObjectMetadata'

interface Stored {
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly data?: Readonly<Record<string, string>>
}

/** Creates an empty record. */
export function createClusterRecord(): ClusterRecord {
  const nodes = new Map<string, Node>()
  const pods = new Map<string, Pod>()
  const declarations = new Map<string, ExtendedResource>()
  const configMaps = new Map<string, Readonly<Record<string, string>>>()
  const stores: Readonly<Record<string, Map<string, unknown>>> = {
    nodes,
    pods,
    extendedresources: declarations,
    configmaps: configMaps,
  }

  function bind({ target, sent }: Write): Pod | undefined {
    const pod = pods.get(keyOf(target))
    const binding = sent as { readonly target?: { readonly name?: string } } | undefined
    const nodeName = binding?.target?.name
    if (pod === undefined || nodeName === undefined) return undefined
    pods.set(keyOf(target), { ...pod, spec: { ...pod.spec, nodeName } })
    return pod
  }

  return {
    nodes,
    pods,
    declarations,
    configMaps,
    apply(write) {
      const { target, returned, verb } = write
      if (target.resource === 'pods' && target.subresource === 'binding') return bind(write)
      const store = stores[target.resource]
      if (store === undefined || (target.subresource ?? 'status') !== 'status') return undefined
      const answer = isStored(returned) ? returned : undefined
      const name = target.name ?? answer?.metadata.name
      const key = keyOf({ ...target, ...(name !== undefined && { name }) })
      const object = answer?.kind === METADATA_ONLY ? patched(store.get(key), write.sent, answer) : answer
      if (object === undefined || isGone(object, verb)) store.delete(key)
      else store.set(key, target.resource === 'configmaps' ? (object.data ?? {}) : object)
      return undefined
    },
  }
}

function keyOf({ namespace, name = '' }: AuditedObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

function isStored(value: unknown): value is Stored {
  return isRecord(value) && value['kind'] !== 'Status' && isRecord(value['metadata'])
}

/** Returns the object after a merge patch, of whose result only the metadata is known. */
function patched(before: unknown, patch: unknown, { metadata }: Stored): Stored {
  return { ...(applyJsonMergePatch(before, patch) as Stored), metadata }
}

/** Returns whether the write removed the object: it waits neither for finalizers nor for the containers of a pod. */
function isGone({ metadata }: Stored, verb: string): boolean {
  const { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata
  if (finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false
  return deletionTimestamp !== undefined || verb === 'delete'
}
