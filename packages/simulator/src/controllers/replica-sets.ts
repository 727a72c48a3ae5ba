import type { LabelSelector, ObjectMeta } from '@berth/types'
import type { ApiObject } from '../json/api-object.ts'
import { numberAt, objectAt, valueAt } from '../json/json-object.ts'
import { labelTest } from '../selectors/label-selector.ts'
import type { Controller, ControllerParts } from './controller.ts'
import { byCostOfLoss, isActive, isReady } from './pod-state.ts'

/** Pods made or deleted in one turn. */
const BURST = 500

/** Keeps as many pods as each ReplicaSet wants, and counts them in its status. */
export function replicaSetController({ context, client, owners }: ControllerParts): Controller {
  const sets = context.store.collection('apps/replicasets')
  return {
    name: 'replica-sets',
    interest(storage, { type, key, object }) {
      if (storage === 'apps/replicasets') return type === 'DELETED' ? [] : [key]
      if (storage !== '/pods') return []
      const owner = (object.metadata.ownerReferences ?? []).find(
        (each) => each.controller === true && each.kind === 'ReplicaSet',
      )
      return owner === undefined ? [] : [`${object.metadata.namespace}/${owner.name}`]
    },
    reconcile(key) {
      const set = sets.get(key)
      if (set === undefined) return
      if (set.metadata.deletionTimestamp === undefined) keep(set)
      const current = sets.get(key)
      if (current !== undefined) client.updateStatus('apps/replicasets', current, statusOf(current))
    },
  }

  function activePods(set: ApiObject): readonly ApiObject[] {
    return owners.ownedObjects(set.metadata.uid ?? '', '/pods').filter(isActive)
  }

  function keep(set: ApiObject): void {
    const pods = activePods(set)
    const missing = (numberAt(set, 'spec', 'replicas') ?? 1) - pods.length
    for (let i = 0; i < Math.min(missing, BURST); i++) client.create('/pods', podOf(set))
    if (missing < 0) {
      for (const pod of [...pods].sort(byCostOfLoss).slice(0, -missing))
        client.remove('/pods', pod, { propagationPolicy: 'Background' })
    }
  }

  function statusOf(set: ApiObject): object {
    const pods = activePods(set)
    const ready = pods.filter(isReady).length
    const fits = labelTest({ matchLabels: objectAt(set, 'spec', 'template', 'metadata', 'labels') } as LabelSelector)
    return {
      replicas: pods.length,
      ...counted('fullyLabeledReplicas', pods.filter((pod) => fits(pod.metadata.labels)).length),
      ...counted('readyReplicas', ready),
      ...counted('availableReplicas', ready),
      observedGeneration: set.metadata.generation,
    }
  }
}

/** A status counter as Go writes it: nothing when it is zero. */
export function counted(name: string, count: number): object {
  return count === 0 ? {} : { [name]: count }
}

function podOf(set: ApiObject): ApiObject {
  const { name = '', namespace = '', uid = '' } = set.metadata
  const template = valueAt(set, 'spec', 'template', 'metadata') as ObjectMeta | undefined
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(template?.labels === undefined ? {} : { labels: template.labels }),
      ...(template?.annotations === undefined ? {} : { annotations: template.annotations }),
      generateName: `${name}-`,
      namespace,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: objectAt(set, 'spec', 'template', 'spec'),
  }
}
