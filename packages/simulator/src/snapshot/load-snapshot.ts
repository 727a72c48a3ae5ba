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
import { objectFault } from './object-fault.ts'

/** What became of the objects of a snapshot. */
export interface LoadedSnapshot {
  /** Number of stored objects. */
  readonly count: number
  /** Kinds that the embedded cluster does not serve, such as `FlowSchema (flowcontrol.apiserver.k8s.io/v1)`. */
  readonly unserved: readonly string[]
  /** Objects of served kinds that are left out, with the reason: `Pod default/web: it has no containers`. */
  readonly skipped: readonly string[]
  readonly nodes: readonly Node[]
}

type ServedKind = ReturnType<ApiServer['context']['kinds']['all']>[number]

/** Number of objects to store before other tasks of the process may run. */
const BATCH = 1_000

/**
 * Stores the objects of a recorded cluster as they are, with their uids and status. Call it before controllers and kubelets
 * start, which then take them over. Namespaces that are not part of the snapshot are created. Owners that are not part of it
 * are dropped, since the garbage collector would delete their dependents. Pods of Jobs run until they are deleted. Of
 * objects with the same name the first is stored, and of those with the same uid the first keeps it.
 */
export async function loadSnapshot(
  { context }: ApiServer,
  objects: readonly KubernetesObject[],
): Promise<LoadedSnapshot> {
  const { store, kinds } = context
  const uids = new Set(objects.map(({ metadata }) => metadata?.uid))
  const unserved = new Set<string>()
  const skipped: string[] = []
  const stored = new Set<string>()
  const usedUids = new Set<string>()

  const put = (sent: ApiObject, served: ReadonlyMap<string, ServedKind>): void => {
    const kind = served.get(`${sent.apiVersion} ${sent.kind}`)
    if (kind === undefined) {
      unserved.add(`${sent.kind} (${sent.apiVersion})`)
      return
    }
    const { namespace = 'default' } = sent.metadata
    const object = withMetadata(sent, { namespace: kind.namespaced ? namespace : undefined })
    const id = `${kind.storage} ${keyOf(object)}`
    const fault = stored.has(id) ? 'it is in the snapshot twice' : objectFault(object)
    if (fault !== undefined) {
      skipped.push(`${object.kind} ${keyOf(object)}: ${fault}`)
      return
    }
    stored.add(id)
    store.collection(kind.storage).put(keyOf(object), prepared(object))
  }
  const putAll = async (batch: readonly KubernetesObject[]): Promise<void> => {
    const served = new Map(
      kinds.all().map((each) => [`${each.group}${each.group && '/'}${each.version} ${each.kind}`, each] as const),
    )
    for (const [i, object] of batch.entries()) {
      put({ apiVersion: '', kind: '', metadata: {}, ...object }, served)
      if (i % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const prepared = (object: ApiObject): ApiObject => {
    const { uid: recorded = '', creationTimestamp = timestamp(context.clock) } = object.metadata
    const uid = recorded === '' || usedUids.has(recorded) ? createUid(context.random) : recorded
    usedUids.add(uid)
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
  return { count: stored.size, unserved: [...unserved].toSorted(), skipped, nodes: store.collection('/nodes').list() }
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
