import { onAbort } from '@berth/clock'
import type { ClusterChange, ClusterView } from '@berth/cluster-view'
import { type ApiObjects, type BindingProgress, bindingProgress, objectKey } from '@berth/fit-engine'
import { compareVersions } from '@berth/k8s-client'
import type { Clock, Pod } from '@berth/types'
import { podName, podUid } from '../queue/queued-pod.ts'
import type { VolumeReservation } from './volume-reservation.ts'

/** Options of {@link awaitBinding}. */
export interface AwaitBindingOptions {
  readonly view: Pick<ClusterView, 'state' | 'subscribe' | 'apiObject'>
  /** Returns whether the pod was deleted, or bound by another scheduler. */
  readonly isLost: (pod: Pod) => boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Waits until the written volumes of the pod are bound. Checks at the start and after each change of the pod, its node,
 * its claims and their volumes.
 *
 * @throws Error when the binding fails or takes too long, or the pod no longer needs a node. The reason of `signal` when
 * it aborts.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes (v1.36)
 */
export async function awaitBinding(
  pod: Pod,
  reservation: VolumeReservation,
  { view, isLost, clock, signal }: AwaitBindingOptions,
): Promise<void> {
  const check = (): BindingProgress =>
    isLost(pod)
      ? { kind: 'failed', reason: `pod does not exist any more: pod "${podName(pod)}" not found` }
      : progressOf(reservation, view)
  const ended = Promise.withResolvers<undefined>()
  const settle = (progress: BindingProgress): void => {
    if (progress.kind === 'bound') ended.resolve(undefined)
    else if (progress.kind === 'failed') ended.reject(new Error(`binding volumes: ${progress.reason}`))
  }
  const isRelevant = relevanceOf(pod, reservation)
  const unsubscribe = view.subscribe((change) => {
    if (isRelevant(change)) settle(check())
  })
  const timer = clock.setTimer(reservation.bindTimeoutMs, () =>
    settle({ kind: 'failed', reason: 'context deadline exceeded' }),
  )
  const removeAbort = onAbort(signal, () => ended.reject(signal.reason))
  try {
    signal.throwIfAborted()
    settle(check())
    await ended.promise
  } finally {
    unsubscribe()
    timer.cancel()
    removeAbort()
  }
}

function progressOf(
  { nodeName, volumes, claims }: VolumeReservation,
  view: AwaitBindingOptions['view'],
): BindingProgress {
  const row = view.state.rowOf(nodeName)
  if (row === undefined)
    return { kind: 'failed', reason: `failed to get node "${nodeName}": node "${nodeName}" not found` }
  const objects: ApiObjects = {
    get: (kind, key) => view.apiObject(kind, key),
    isOlder: (read, written) =>
      compareVersions(read.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '') === 'older',
  }
  return bindingProgress(
    { bindings: volumes, provisioned: claims.map(({ claim }) => claim) },
    view.state.node(row),
    objects,
  )
}

/** Returns whether a change may end the wait of the pod. */
function relevanceOf(pod: Pod, { nodeName, volumes, claims }: VolumeReservation): (change: ClusterChange) => boolean {
  const claimKeys = new Set([...volumes, ...claims].map(({ claim }) => objectKey(claim.metadata)))
  const volumeNames = new Set(volumes.map(({ volume }) => volume.metadata.name))
  return (change) => {
    switch (change.kind) {
      case 'pod-added':
      case 'pod-updated':
      case 'pod-deleted':
        return podUid(change.pod) === podUid(pod)
      case 'node-added':
      case 'node-updated':
      case 'node-deleted':
        return change.node.metadata.name === nodeName
      case 'object-added':
      case 'object-updated':
      case 'object-deleted':
        break
    }
    if (change.resource === 'persistentVolumeClaims') return claimKeys.has(objectKey(change.object.metadata))
    if (change.resource === 'csiNodes') return change.object.metadata.name === nodeName
    if (change.resource !== 'persistentVolumes') return false
    const { namespace, name } = change.object.spec.claimRef ?? {}
    if (volumeNames.has(change.object.metadata.name)) return true
    return name !== undefined && claimKeys.has(objectKey({ name, ...(namespace !== undefined && { namespace }) }))
  }
}
