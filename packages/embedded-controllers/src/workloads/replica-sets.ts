import type { LabelSelector } from '@berth/types'
import { type ApiObject, isReady, labelTest, numberAt, objectAt } from '@berth/embedded-api-server'
import { controllerKey, podOfTemplate } from './controlled-object.ts'
import type { Controller, ControllerParts } from '../loop/controller.ts'
import { availability, byCostOfLoss, isActive } from '../pods/pod-state.ts'

/** Pods made or deleted in one turn. */
const BURST = 500

/** Keeps as many pods as each ReplicaSet wants, and counts them in its status. */
export function replicaSetController({ context, client, owners }: ControllerParts): Controller {
  const sets = context.store.collection('apps/replicasets')
  return {
    name: 'replica-sets',
    storages: ['apps/replicasets', '/pods'],
    interest(storage, { type, key, object }) {
      if (storage === 'apps/replicasets') return type === 'DELETED' ? [] : [key]
      if (storage !== '/pods') return []
      return controllerKey(object, 'ReplicaSet')
    },
    reconcile(key, again) {
      const set = sets.get(key)
      if (set === undefined) return
      if (set.metadata.deletionTimestamp === undefined) keep(set)
      const current = sets.get(key)
      if (current === undefined) return
      const pods = activePods(current)
      const available = availability(pods, numberAt(current, 'spec', 'minReadySeconds') ?? 0, context.clock)
      client.updateStatus('apps/replicasets', current, statusOf(current, pods, available.count))
      if (available.nextMs !== undefined) again(available.nextMs)
    },
  }

  function activePods(set: ApiObject): readonly ApiObject[] {
    return owners.ownedObjects(set.metadata.uid ?? '', '/pods').filter(isActive)
  }

  function keep(set: ApiObject): void {
    const pods = activePods(set)
    const missing = (numberAt(set, 'spec', 'replicas') ?? 1) - pods.length
    for (let i = 0; i < Math.min(missing, BURST); i++) client.create('/pods', podOfTemplate(set))
    if (missing < 0) {
      for (const pod of [...pods].sort(byCostOfLoss).slice(0, -missing))
        client.remove('/pods', pod, { propagationPolicy: 'Background' })
    }
  }

  function statusOf(set: ApiObject, pods: readonly ApiObject[], available: number): object {
    const fits = labelTest({ matchLabels: objectAt(set, 'spec', 'template', 'metadata', 'labels') } as LabelSelector)
    return {
      replicas: pods.length,
      ...counted('fullyLabeledReplicas', pods.filter((pod) => fits(pod.metadata.labels)).length),
      ...counted('readyReplicas', pods.filter(isReady).length),
      ...counted('availableReplicas', available),
      observedGeneration: set.metadata.generation,
    }
  }
}

/** A status counter as Go writes it: nothing when it is zero. */
export function counted(name: string, count: number): object {
  return count === 0 ? {} : { [name]: count }
}
