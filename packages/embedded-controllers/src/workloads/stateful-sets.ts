import type { ObjectMeta } from '@berth/types'
import {
  type ApiObject,
  isObject,
  isReady,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  stringAt,
  valueAt,
} from '@berth/embedded-api-server'
import { controllerKey, podFromTemplate } from './controlled-object.ts'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { controllerRevisions } from './controller-revisions.ts'
import { availability, isFinished, msUntilAvailable } from '../pods/pod-state.ts'
import { counterField } from './replica-sets.ts'

const HASH_LABEL = 'controller-revision-hash'

/**
 * Keeps the numbered pods of StatefulSets and their volume claims, in order or, with `Parallel`, all at once. Replaces old
 * pods from the highest ordinal down to the partition. Claims are created but never deleted.
 *
 * @see kubernetes/kubernetes pkg/controller/statefulset/stateful_set_control.go (v1.36)
 */
export function statefulSetController(dependencies: ControllerDependencies): Controller {
  const { context, writer, owners } = dependencies
  const sets = context.store.collection('apps/statefulsets')
  const claims = context.store.collection('/persistentvolumeclaims')
  const revisions = controllerRevisions(dependencies)
  return {
    name: 'stateful-sets',
    storages: ['apps/statefulsets', '/pods'],
    keysFor(storage, { type, key, object }) {
      if (storage === 'apps/statefulsets') return type === 'DELETED' ? [] : [key]
      return storage === '/pods' ? controllerKey(object, 'StatefulSet') : []
    },
    reconcile(key, requeueAfter) {
      const set = sets.get(key)
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return
      const hash = revisions.ensureCurrent(set)
      syncPods(set, hash)
      const pods = podsOf(set)
      revisions.prune(set, new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? '')))
      const { nextMs, count } = availability(pods, numberAt(set, 'spec', 'minReadySeconds') ?? 0, context.clock)
      writer.updateStatus('apps/statefulsets', sets.get(key) ?? set, statusOf(set, hash, count))
      if (nextMs !== undefined) requeueAfter(nextMs)
    },
  }

  function podsOf(set: ApiObject): readonly ApiObject[] {
    return owners.ownedObjects(set.metadata.uid ?? '', '/pods').toSorted((a, b) => ordinalOf(a) - ordinalOf(b))
  }

  /** Makes one step. In order, only the first pod that is not available is handled. */
  function syncPods(set: ApiObject, hash: string): void {
    const isParallel = stringAt(set, 'spec', 'podManagementPolicy') === 'Parallel'
    const start = numberAt(set, 'spec', 'ordinals', 'start') ?? 0
    const end = start + (numberAt(set, 'spec', 'replicas') ?? 1)
    const byOrdinal = new Map(podsOf(set).map((pod) => [ordinalOf(pod), pod]))
    let areAllAvailable = true
    for (let ordinal = start; ordinal < end; ordinal++) {
      const pod = byOrdinal.get(ordinal)
      if (pod === undefined) createPod(set, ordinal, hash)
      else if (isFinished(pod) && pod.metadata.deletionTimestamp === undefined) deletePod(pod)
      if (pod === undefined || !isAvailable(set, pod)) {
        areAllAvailable = false
        if (!isParallel) return
      }
    }
    const extra = [...byOrdinal.values()].filter((pod) => ordinalOf(pod) < start || ordinalOf(pod) >= end)
    for (const pod of isParallel ? extra : extra.slice(-1)) {
      if (pod.metadata.deletionTimestamp === undefined) deletePod(pod)
    }
    if (extra.length === 0 && areAllAvailable && stringAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete')
      replaceLastOldPod(set, hash, byOrdinal)
  }

  /** Deletes the pod with the highest ordinal that has an old template. */
  function replaceLastOldPod(set: ApiObject, hash: string, byOrdinal: ReadonlyMap<number, ApiObject>): void {
    const partition = numberAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0
    const old = [...byOrdinal]
      .filter(([ordinal, pod]) => ordinal >= partition && pod.metadata.labels?.[HASH_LABEL] !== revisionName(set, hash))
      .toSorted(([a], [b]) => b - a)[0]
    if (old !== undefined) deletePod(old[1])
  }

  function isAvailable(set: ApiObject, pod: ApiObject): boolean {
    const seconds = numberAt(set, 'spec', 'minReadySeconds') ?? 0
    return pod.metadata.deletionTimestamp === undefined && msUntilAvailable(pod, seconds, context.clock) === 0
  }

  function deletePod(pod: ApiObject): void {
    writer.remove('/pods', pod, { propagationPolicy: 'Background' })
  }

  function createPod(set: ApiObject, ordinal: number, hash: string): void {
    const { name: setName = '', namespace = '' } = set.metadata
    const name = `${setName}-${ordinal}`
    const templates = listAt(set, 'spec', 'volumeClaimTemplates').filter(isObject)
    for (const template of templates) createClaim(`${claimName(template)}-${name}`, namespace, template, set)
    const volumes = templates.map((template) => ({
      name: claimName(template),
      persistentVolumeClaim: { claimName: `${claimName(template)}-${name}` },
    }))
    const own = new Set(volumes.map((volume) => volume.name))
    writer.create(
      '/pods',
      podFromTemplate(set, {
        name,
        labels: {
          'statefulset.kubernetes.io/pod-name': name,
          'apps.kubernetes.io/pod-index': String(ordinal),
          [HASH_LABEL]: revisionName(set, hash),
        },
        spec: (spec) => ({
          ...spec,
          hostname: name,
          subdomain: stringAt(set, 'spec', 'serviceName'),
          ...(volumes.length === 0
            ? {}
            : { volumes: [...listAt(spec, 'volumes').filter((each) => !own.has(stringAt(each, 'name'))), ...volumes] }),
        }),
      }),
    )
  }

  function createClaim(name: string, namespace: string, template: JsonObject, set: ApiObject): void {
    if (claims.get(`${namespace}/${name}`) !== undefined) return
    const metadata = objectAt(template, 'metadata') as ObjectMeta
    const labels = { ...metadata.labels, ...(objectAt(set, 'spec', 'selector', 'matchLabels') as ObjectMeta['labels']) }
    writer.create('/persistentvolumeclaims', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        namespace,
        labels,
        ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      },
      spec: valueAt(template, 'spec'),
    })
  }

  function statusOf(set: ApiObject, hash: string, available: number): object {
    const pods = podsOf(set).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const updateRevision = revisionName(set, hash)
    const updated = pods.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === updateRevision).length
    const before = stringAt(set, 'status', 'currentRevision')
    const isDone = updated === pods.length && pods.length === (numberAt(set, 'spec', 'replicas') ?? 1)
    const currentRevision = before === '' || (isDone && pods.every(isReady)) ? updateRevision : before
    return {
      observedGeneration: set.metadata.generation,
      replicas: pods.length,
      ...counterField('readyReplicas', pods.filter(isReady).length),
      ...counterField(
        'currentReplicas',
        pods.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === currentRevision).length,
      ),
      ...counterField('updatedReplicas', updated),
      availableReplicas: available,
      currentRevision,
      updateRevision,
      collisionCount: 0,
    }
  }
}

function revisionName(set: ApiObject, hash: string): string {
  return `${set.metadata.name}-${hash}`
}

function claimName(template: JsonObject): string {
  return stringAt(template, 'metadata', 'name')
}

function ordinalOf(pod: ApiObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name ?? '')?.[1] ?? -1)
}
