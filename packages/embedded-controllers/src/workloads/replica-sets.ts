import type { LabelSelector } from '@berth/types'
import { type ApiObject, isReady, labelMatcher, numberAt, objectAt } from '@berth/embedded-api-server'
import { controllerKey, podFromTemplate } from './controlled-object.ts'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { availability, byDeletionOrder, isActive } from '../pods/pod-state.ts'

/** Maximum number of pods to create per reconcile. */
const BURST = 500

/** Keeps the desired number of pods of each ReplicaSet, and counts them in its status. */
export function replicaSetController({ context, writer, owners }: ControllerDependencies): Controller {
  const sets = context.store.collection('apps/replicasets')
  return {
    name: 'replica-sets',
    storages: ['apps/replicasets', '/pods'],
    keysFor(storage, { type, key, object }) {
      if (storage === 'apps/replicasets') return type === 'DELETED' ? [] : [key]
      if (storage !== '/pods') return []
      return controllerKey(object, 'ReplicaSet')
    },
    reconcile(key, requeueAfter) {
      const set = sets.get(key)
      if (set === undefined) return
      if (set.metadata.deletionTimestamp === undefined) syncPods(set)
      const current = sets.get(key)
      if (current === undefined) return
      const pods = activePods(current)
      const available = availability(pods, numberAt(current, 'spec', 'minReadySeconds') ?? 0, context.clock)
      writer.updateStatus('apps/replicasets', current, statusOf(current, pods, available.count))
      if (available.nextMs !== undefined) requeueAfter(available.nextMs)
    },
  }

  function activePods(set: ApiObject): readonly ApiObject[] {
    return owners.ownedObjects(set.metadata.uid ?? '', '/pods').filter(isActive)
  }

  function syncPods(set: ApiObject): void {
    const pods = activePods(set)
    const missing = (numberAt(set, 'spec', 'replicas') ?? 1) - pods.length
    for (let i = 0; i < Math.min(missing, BURST); i++) writer.create('/pods', podFromTemplate(set))
    if (missing < 0) {
      for (const pod of [...pods].sort(byDeletionOrder).slice(0, -missing))
        writer.remove('/pods', pod, { propagationPolicy: 'Background' })
    }
  }

  function statusOf(set: ApiObject, pods: readonly ApiObject[], available: number): object {
    const matchesTemplate = labelMatcher({
      matchLabels: objectAt(set, 'spec', 'template', 'metadata', 'labels'),
    } as LabelSelector)
    return {
      replicas: pods.length,
      ...counterField('fullyLabeledReplicas', pods.filter((pod) => matchesTemplate(pod.metadata.labels)).length),
      ...counterField('readyReplicas', pods.filter(isReady).length),
      ...counterField('availableReplicas', available),
      observedGeneration: set.metadata.generation,
    }
  }
}

/** Returns a status counter as Go encodes it: omitted when it is zero. */
export function counterField(name: string, count: number): object {
  return count === 0 ? {} : { [name]: count }
}
