import type { ClusterView, ObjectChange } from '@berth/cluster-view'
import { claimForNode, objectKey, planVolumes, volumeForClaim } from '@berth/fit-engine'
import type { ApiClient } from '@berth/k8s-client'
import type { Profile } from '@berth/scheduler-config'
import type { Clock, Pod } from '@berth/types'
import type { WriteFence } from '../binding/run-hook.ts'
import { podUid } from '../queue/queued-pod.ts'
import type { TaskBudget } from '../tasks/task-budget.ts'
import { awaitBinding } from './await-binding.ts'
import { createSharedObjects, writeOnce } from './shared-objects.ts'
import { assumeError, bindError } from './volume-error.ts'
import type { ReservedClaim, ReservedVolume, VolumeReservation } from './volume-reservation.ts'
import { writeClaim, writeVolume } from './write-volumes.ts'

/** Options of {@link createVolumeBinder}. */
export interface VolumeBinderOptions {
  readonly view: Pick<ClusterView, 'state' | 'subscribe' | 'apiObject' | 'assumeObject' | 'restoreObject'>
  readonly client: Pick<ApiClient, 'patch'>
  /** Returns whether the pod was deleted, or bound by another scheduler. */
  readonly isLost: (pod: Pod) => boolean
  readonly clock: Clock
  /** Aborts when calls in flight are to be abandoned. */
  readonly signal: AbortSignal
  /** Limits the pods whose volumes are being written. Waiting for a binding does not count. */
  readonly budget: TaskBudget
  /** Called when the volumes of a pod cannot be assumed or bound. */
  readonly onFailed: (operation: 'assume' | 'bind') => void
  /** Called when a volume or claim that was assumed for the pod is free again. */
  readonly onRestored: (change: ObjectChange, podKey: string) => void
}

/** Options of {@link VolumeBinder.bind}. */
export interface VolumeBindOptions {
  /** Aborts when the pod is to be scheduled again. */
  readonly ended: AbortSignal
  readonly fence: WriteFence
}

/**
 * Binds the volumes of claims that wait for their first consumer: assumes them with the pod, writes them before the pod
 * is bound, and waits until the controller of persistent volumes has bound them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go (v1.36)
 */
export interface VolumeBinder {
  /**
   * Assumes the volumes of the pod on the node. Call it synchronously after the decision, so that no other pod takes
   * them in between. Does nothing for a pod whose claims are bound, and for a profile that does not bind volumes.
   *
   * @throws EffectError BERTH_SCHEDULER_VOLUMES when the volumes changed while extenders were called.
   */
  reserve(pod: Pod, nodeName: string, profile: Pick<Profile, 'volumeBinding'>): void
  /**
   * Writes the volumes of the pod and waits until they are bound.
   *
   * @throws EffectError BERTH_SCHEDULER_VOLUMES when a write or the binding fails, or the binding takes too long.
   */
  bind(pod: Pod, attempt: VolumeBindOptions): Promise<void>
  /** Undoes the assumptions of the pod, except those that have been written or that another pod with the claim relies on. */
  release(pod: Pod): void
  /** Ends the reservation of a pod that is bound. */
  settle(pod: Pod): void
  /** Ends every wait. */
  close(): void
}

/** Creates a binder without reservations. */
export function createVolumeBinder(options: VolumeBinderOptions): VolumeBinder {
  const { view, budget } = options
  const reservations = new Map<string, VolumeReservation>()
  const closed = new AbortController()
  const stopped = AbortSignal.any([options.signal, closed.signal])

  const sharedVolumes = createSharedObjects<ReservedVolume>()
  const sharedClaims = createSharedObjects<ReservedClaim>()

  /** Undoes the assumption of a volume, unless another pod with the same claim still relies on it. */
  const releaseVolume = (reserved: ReservedVolume): ObjectChange | undefined => {
    const { volume } = reserved
    if (!sharedVolumes.leave(volume.metadata.name ?? '', reserved) || !reserved.isAssumed) return undefined
    if (!view.restoreObject('persistentVolumes', volume)) return undefined
    const object = view.apiObject('persistentVolumes', volume.metadata.name ?? '')
    return object && { kind: 'object-updated', resource: 'persistentVolumes', object, old: volume }
  }
  const releaseClaim = (reserved: ReservedClaim): ObjectChange | undefined => {
    const { claim } = reserved
    if (!sharedClaims.leave(objectKey(claim.metadata), reserved) || !reserved.isAssumed) return undefined
    if (!view.restoreObject('persistentVolumeClaims', claim)) return undefined
    const object = view.apiObject('persistentVolumeClaims', objectKey(claim.metadata))
    return object && { kind: 'object-updated', resource: 'persistentVolumeClaims', object, old: claim }
  }

  const write = async (
    pod: Pod,
    reservation: VolumeReservation,
    { signal, fence }: { readonly signal: AbortSignal; readonly fence: WriteFence },
  ): Promise<void> => {
    const { nodeName, volumes, claims } = reservation
    const release = await budget.acquire(signal, pod.spec.priority ?? 0)
    const writing = { ...options, fence, signal }
    try {
      // One after the other: what is written stays written when a later write fails.
      for (const reserved of volumes) {
        const writeReference = async (): Promise<void> => {
          reserved.volume = await writeVolume(reserved, writing)
        }
        await writeOnce(reserved, writeReference, signal)
      }
      for (const reserved of claims) {
        const writeNode = async (): Promise<void> => {
          reserved.claim = await writeClaim(reserved.claim, nodeName, writing)
        }
        await writeOnce(reserved, writeNode, signal)
      }
    } finally {
      release()
    }
  }

  return {
    reserve(pod, nodeName, { volumeBinding }) {
      const row = view.state.rowOf(nodeName)
      if (volumeBinding === undefined || row === undefined) return
      const plan = planVolumes(pod, view.state.node(row), view.state.objects)
      if (plan.kind === 'bound') return
      if (plan.kind === 'rejected') {
        options.onFailed('assume')
        throw assumeError(nodeName)
      }
      const volumes = plan.matches.map(({ volume, claim }): ReservedVolume => {
        const taken = volumeForClaim(volume, claim)
        const { name = '' } = taken.metadata
        // Another pod with the same claim has taken it.
        const shared = taken === volume ? sharedVolumes.share(name) : undefined
        const isAssumed = taken !== volume && view.assumeObject('persistentVolumes', taken)
        return shared ?? sharedVolumes.add(name, { volume: taken, claim, holders: 1, isAssumed, isWritten: false })
      })
      const claims = plan.provisioned.map((claim): ReservedClaim => {
        const selected = claimForNode(claim, nodeName)
        const key = objectKey(selected.metadata)
        const shared = selected === claim ? sharedClaims.share(key) : undefined
        const isAssumed = selected !== claim && view.assumeObject('persistentVolumeClaims', selected)
        return shared ?? sharedClaims.add(key, { claim: selected, holders: 1, isAssumed, isWritten: false })
      })
      const { bindTimeoutMs } = volumeBinding
      const reservation: VolumeReservation = { nodeName, bindTimeoutMs, volumes, claims }
      reservations.set(podUid(pod), reservation)
    },
    async bind(pod, { ended, fence }) {
      const reservation = reservations.get(podUid(pod))
      if (reservation === undefined) return
      const signal = AbortSignal.any([stopped, ended, fence.lost])
      try {
        await write(pod, reservation, { signal, fence })
        await awaitBinding(pod, reservation, { ...options, signal })
      } catch (error) {
        options.onFailed('bind')
        throw bindError(error)
      }
    },
    release(pod) {
      const key = podUid(pod)
      const reservation = reservations.get(key)
      reservations.delete(key)
      if (reservation === undefined) return
      const changes = [...reservation.volumes.map(releaseVolume), ...reservation.claims.map(releaseClaim)]
      for (const change of changes) if (change !== undefined) options.onRestored(change, key)
    },
    settle(pod) {
      const reservation = reservations.get(podUid(pod))
      reservations.delete(podUid(pod))
      for (const reserved of reservation?.volumes ?? [])
        sharedVolumes.leave(reserved.volume.metadata.name ?? '', reserved)
      for (const reserved of reservation?.claims ?? []) sharedClaims.leave(objectKey(reserved.claim.metadata), reserved)
    },
    close: () => closed.abort(new Error('the scheduler is shutting down')),
  }
}
