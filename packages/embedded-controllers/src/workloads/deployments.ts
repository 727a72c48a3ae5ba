import {
  type ApiObject,
  equalJson,
  listAt,
  numberAt,
  objectAt,
  stringAt,
  timestamp,
  valueAt,
  withMetadata,
  withValueAt,
} from '@berth/embedded-api-server'
import { controllerKey, controllerReference } from './controlled-object.ts'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { counterField } from './replica-sets.ts'
import { rollingStep, rolloutBounds } from './rollout.ts'
import { templateHash, withoutHash } from './template-hash.ts'

const HASH_LABEL = 'pod-template-hash'
const REVISION = 'deployment.kubernetes.io/revision'

/** Keeps one ReplicaSet per pod template of a Deployment, and moves the replicas to the newest one. */
export function deploymentController({ context, writer, owners }: ControllerDependencies): Controller {
  const deployments = context.store.collection('apps/deployments')
  return {
    name: 'deployments',
    storages: ['apps/deployments', 'apps/replicasets'],
    keysFor(storage, { type, key, object }) {
      if (storage === 'apps/deployments') return type === 'DELETED' ? [] : [key]
      if (storage !== 'apps/replicasets') return []
      return controllerKey(object, 'Deployment')
    },
    reconcile(key) {
      const deployment = deployments.get(key)
      if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return
      rollOut(deployment)
      const current = deployments.get(key)
      if (current !== undefined) writer.updateStatus('apps/deployments', current, statusOf(current))
    },
  }

  function replicaSetsOf(deployment: ApiObject): {
    readonly newSet: ApiObject | undefined
    readonly old: readonly ApiObject[]
  } {
    const template = valueAt(deployment, 'spec', 'template')
    const hash = templateHash(template)
    const sets = owners.ownedObjects(deployment.metadata.uid ?? '', 'apps/replicasets')
    // Like upstream, a set is found by its template: that of a recorded cluster has the hash of another controller.
    const newSet =
      sets.find((set) => set.metadata.labels?.[HASH_LABEL] === hash) ??
      sets.find((set) => equalJson(withoutHash(valueAt(set, 'spec', 'template')), withoutHash(template)))
    return { newSet, old: sets.filter((set) => set !== newSet) }
  }

  function rollOut(deployment: ApiObject): void {
    const { newSet: existing, old } = replicaSetsOf(deployment)
    const isPaused = valueAt(deployment, 'spec', 'paused') === true
    if (existing === undefined && isPaused) return
    const newSet = existing ?? writer.create('apps/replicasets', buildReplicaSet(deployment, old))
    const desired = numberAt(deployment, 'spec', 'replicas') ?? 1
    if (stringAt(deployment, 'spec', 'strategy', 'type') === 'Recreate') {
      for (const set of old) scale(set, 0)
      if (old.every((set) => (numberAt(set, 'status', 'replicas') ?? 0) === 0)) scale(newSet, desired)
      return
    }
    const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate')
    const bounds = rolloutBounds(rolling['maxSurge'], rolling['maxUnavailable'], desired)
    const step = rollingStep(desired, bounds, rolloutSetOf(newSet), old.map(rolloutSetOf))
    scale(newSet, step.newReplicas)
    for (const [i, set] of old.entries()) scale(set, step.oldReplicas[i] ?? 0)
    deleteOldSets(deployment, old)
  }

  function buildReplicaSet(deployment: ApiObject, old: readonly ApiObject[]): ApiObject {
    const { name = '', namespace = '' } = deployment.metadata
    const template = objectAt(deployment, 'spec', 'template')
    const hash = templateHash(template)
    const labels = { ...objectAt(template, 'metadata', 'labels'), [HASH_LABEL]: hash } as Readonly<
      Record<string, string>
    >
    const revision = 1 + Math.max(0, ...old.map((set) => Number(set.metadata.annotations?.[REVISION] ?? 0)))
    const current = deployments.get(`${namespace}/${name}`)
    if (current !== undefined) {
      const annotations = { ...current.metadata.annotations, [REVISION]: String(revision) }
      writer.update('apps/deployments', current, withMetadata(current, { annotations }))
    }
    return {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels,
        annotations: { [REVISION]: String(revision) },
        ownerReferences: [controllerReference(deployment)],
      },
      spec: {
        replicas: 0,
        selector: withValueAt(objectAt(deployment, 'spec', 'selector'), ['matchLabels', HASH_LABEL], hash),
        template: withValueAt(template, ['metadata', 'labels'], labels),
      },
    }
  }

  function scale(set: ApiObject, replicas: number): void {
    if (numberAt(set, 'spec', 'replicas') === replicas) return
    writer.update('apps/replicasets', set, withValueAt(set, ['spec', 'replicas'], replicas))
  }

  /** Deletes empty old sets above the history limit, the oldest first. */
  function deleteOldSets(deployment: ApiObject, old: readonly ApiObject[]): void {
    const limit = numberAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10
    const revisionOf = (set: ApiObject): number => Number(set.metadata.annotations?.[REVISION] ?? 0)
    const isEmpty = (set: ApiObject): boolean =>
      numberAt(set, 'spec', 'replicas') === 0 && (numberAt(set, 'status', 'replicas') ?? 0) === 0
    const sorted = old.toSorted((a, b) => revisionOf(a) - revisionOf(b))
    for (const set of sorted.slice(0, Math.max(0, sorted.length - limit)).filter(isEmpty)) {
      writer.remove('apps/replicasets', set, { propagationPolicy: 'Background' })
    }
  }

  function statusOf(deployment: ApiObject): object {
    const { newSet, old } = replicaSetsOf(deployment)
    const sum = (sets: readonly ApiObject[], field: string): number =>
      sets.reduce((total, set) => total + (numberAt(set, 'status', field) ?? 0), 0)
    const all = newSet === undefined ? old : [newSet, ...old]
    const desired = numberAt(deployment, 'spec', 'replicas') ?? 1
    const available = sum(all, 'availableReplicas')
    const updated = newSet === undefined ? 0 : sum([newSet], 'replicas')
    const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate')
    const { maxUnavailable } = rolloutBounds(rolling['maxSurge'], rolling['maxUnavailable'], desired)
    const isComplete = updated === desired && available >= desired && sum(old, 'replicas') === 0
    const name = newSet?.metadata.name ?? deployment.metadata.name ?? ''
    const time = timestamp(context.clock)
    const conditions = [
      available >= desired - maxUnavailable
        ? {
            type: 'Available',
            status: 'True',
            reason: 'MinimumReplicasAvailable',
            message: 'Deployment has minimum availability.',
          }
        : {
            type: 'Available',
            status: 'False',
            reason: 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
          },
      isComplete
        ? {
            type: 'Progressing',
            status: 'True',
            reason: 'NewReplicaSetAvailable',
            message: `ReplicaSet "${name}" has successfully progressed.`,
          }
        : {
            type: 'Progressing',
            status: 'True',
            reason: 'ReplicaSetUpdated',
            message: `ReplicaSet "${name}" is progressing.`,
          },
    ].map((condition) => withTimes(condition, listAt(deployment, 'status', 'conditions'), time))
    return {
      observedGeneration: deployment.metadata.generation,
      ...counterField('replicas', sum(all, 'replicas')),
      ...counterField('updatedReplicas', updated),
      ...counterField('readyReplicas', sum(all, 'readyReplicas')),
      ...counterField('availableReplicas', available),
      ...counterField('unavailableReplicas', Math.max(0, Math.max(desired, sum(all, 'replicas')) - available)),
      conditions,
    }
  }
}

function rolloutSetOf(set: ApiObject): { readonly replicas: number; readonly available: number } {
  return {
    replicas: numberAt(set, 'spec', 'replicas') ?? 0,
    available: numberAt(set, 'status', 'availableReplicas') ?? 0,
  }
}

/** Adds times to a condition. An unchanged condition keeps its times. */
function withTimes(
  condition: { readonly type: string; readonly status: string; readonly reason: string; readonly message: string },
  before: readonly unknown[],
  now: string,
): object {
  const old = before.find((each) => stringAt(each, 'type') === condition.type)
  const isSameStatus = stringAt(old, 'status') === condition.status
  const isSame =
    isSameStatus && stringAt(old, 'reason') === condition.reason && stringAt(old, 'message') === condition.message
  return {
    ...condition,
    lastUpdateTime: isSame ? stringAt(old, 'lastUpdateTime') : now,
    lastTransitionTime: isSameStatus ? stringAt(old, 'lastTransitionTime') : now,
  }
}
