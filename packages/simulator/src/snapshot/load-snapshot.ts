import type { KubernetesObject, Node } from '@berth/types'
import {
  type ApiObject,
  type ApiServer,
  createUid,
  keyOf,
  objectAt,
  stringAt,
  timestamp,
  withMetadata,
} from '@berth/embedded-api-server'
import { RUN_SECONDS_ANNOTATION } from '@berth/embedded-kubelet'

/** What became of the objects of a snapshot. */
export interface LoadedSnapshot {
  /** Number of stored objects. */
  readonly count: number
  /** Kinds that the embedded cluster does not serve, such as `FlowSchema (flowcontrol.apiserver.k8s.io/v1)`. */
  readonly unserved: readonly string[]
  readonly nodes: readonly Node[]
}

/** Number of objects to store before other tasks of the process may run. */
const BATCH = 1_000

/**
 * Stores the objects of a recorded cluster as they are, with their uids and status. Call it before controllers and kubelets
 * start, which then take them over. Namespaces that are not part of the snapshot are created. Owners that are not part of it
 * are dropped, since the garbage collector would delete their dependents. Pods of Jobs run until they are deleted.
 */
export async function loadSnapshot(
  { context }: ApiServer,
  objects: readonly KubernetesObject[],
): Promise<LoadedSnapshot> {
  const { store, kinds } = context
  const uids = new Set(objects.map(({ metadata }) => metadata?.uid))
  const unserved = new Set<string>()
  let count = 0

  const put = (object: ApiObject, storages: ReadonlyMap<string, string>): void => {
    const storage = storages.get(`${object.apiVersion} ${object.kind}`)
    if (storage === undefined) {
      unserved.add(`${object.kind} (${object.apiVersion})`)
      return
    }
    store.collection(storage).put(keyOf(object), prepared(object))
    count++
  }
  const putAll = async (batch: readonly KubernetesObject[]): Promise<void> => {
    const storages = new Map(
      kinds
        .all()
        .map(({ group, version, kind, storage }) => [`${group}${group && '/'}${version} ${kind}`, storage] as const),
    )
    for (const [i, object] of batch.entries()) {
      put({ apiVersion: '', kind: '', metadata: {}, ...object }, storages)
      if (i % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const prepared = (object: ApiObject): ApiObject => {
    const { uid = createUid(context.random), creationTimestamp = timestamp(context.clock) } = object.metadata
    const ownerReferences = object.metadata.ownerReferences?.filter((owner) => uids.has(owner.uid))
    const hasOwners = ownerReferences !== undefined && ownerReferences.length > 0
    const isOfJob = object.kind === 'Pod' && ownerReferences?.some(({ kind }) => kind === 'Job') === true
    return withMetadata(object, {
      uid,
      creationTimestamp,
      managedFields: undefined,
      ownerReferences: hasOwners ? ownerReferences : undefined,
      ...(isOfJob && { annotations: { ...object.metadata.annotations, [RUN_SECONDS_ANNOTATION]: 'unlimited' } }),
    })
  }

  const isDefinition = ({ kind }: KubernetesObject): boolean => kind === 'CustomResourceDefinition'
  // Definitions decide which kinds are served.
  await putAll(objects.filter(isDefinition))
  await putAll([...objects.filter((object) => !isDefinition(object)), ...missingNamespaces(objects, store)])
  // Clients must not see the objects as changes.
  store.compact()
  return { count, unserved: [...unserved].toSorted(), nodes: store.collection('/nodes').list() }
}

function missingNamespaces(
  objects: readonly KubernetesObject[],
  store: ApiServer['store'],
): readonly KubernetesObject[] {
  const known = new Set(
    store
      .collection('/namespaces')
      .list()
      .map(({ metadata }) => metadata.name),
  )
  for (const { kind, metadata } of objects) if (kind === 'Namespace') known.add(metadata?.name)
  const wanted = new Set(objects.map((object) => stringAt(objectAt(object, 'metadata'), 'namespace')))
  return [...wanted]
    .filter((name) => name !== '' && !known.has(name))
    .map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }))
}
