import type { Container, ContainerStatus, Pod, PodCondition, PodStatus, ResourceStatus } from '@berth/types'
import { createHash } from 'node:crypto'
import type { AdmissionFailure } from './admit-pod.ts'
import { timestamp } from './node-object.ts'

/** What a status needs besides the pod. */
export interface PodPlace {
  readonly nowMs: number
  readonly hostIP: string
  readonly podIP: string
  /** Restarts of the containers that the API may not know of yet. */
  readonly restarts: number
  /** `allocatedResourcesStatus` by container name; empty list: none. */
  readonly devices: (container: string) => readonly ResourceStatus[]
}

/** A status as the kubelet writes it: the fields of {@link PodStatus} and the lists beside them. */
export type WrittenPodStatus = PodStatus & {
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly podIPs?: readonly { readonly ip: string }[]
}

function conditions(pod: Pod, nowMs: number, isReady: boolean, reason?: string): readonly PodCondition[] {
  const before = pod.status?.conditions ?? []
  const condition = (type: string, isTrue: boolean): PodCondition => {
    const status = isTrue ? 'True' : 'False'
    const old = before.find((each) => each.type === type)
    const since = old?.status === status ? old.lastTransitionTime : undefined
    return {
      type,
      status,
      ...(!isTrue && reason !== undefined && { reason }),
      lastProbeTime: null,
      lastTransitionTime: since ?? timestamp(nowMs),
    }
  }
  const own = new Set(['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'])
  return [
    condition('PodReadyToStartContainers', isReady),
    condition('Initialized', true),
    condition('Ready', isReady),
    condition('ContainersReady', isReady),
    ...before.filter(({ type }) => !own.has(type)),
  ]
}

/** What containers do: they run, or have ended. */
interface ContainerState {
  readonly isRunning: boolean
  /** How they ended; default 0. */
  readonly exitCode?: number
}

function containerStatus(
  pod: Pod,
  container: Container,
  place: PodPlace,
  { isRunning, exitCode = 0 }: ContainerState,
): ContainerStatus {
  const { uid = '' } = pod.metadata
  const old = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === container.name,
  )
  const containerID = `containerd://${createHash('sha256').update(`${uid}/${container.name}`).digest('hex')}`
  const now = timestamp(place.nowMs)
  const oldRunning = old?.state?.['running'] as { readonly startedAt?: string } | undefined
  const startedAt = oldRunning?.startedAt ?? now
  const devices = place.devices(container.name)
  const image = container.image ?? ''
  return {
    name: container.name,
    ready: isRunning || container.restartPolicy === undefined,
    restartCount: Math.max(old?.restartCount ?? 0, place.restarts),
    image,
    imageID: image,
    containerID,
    started: isRunning,
    state: isRunning
      ? { running: { startedAt } }
      : {
          terminated: {
            exitCode,
            reason: exitCode === 0 ? 'Completed' : 'Error',
            startedAt,
            finishedAt: now,
            containerID,
          },
        },
    ...(devices.length > 0 && { allocatedResourcesStatus: devices }),
  }
}

function placed(pod: Pod, place: PodPlace, state: ContainerState): WrittenPodStatus {
  const initContainers = pod.spec.initContainers ?? []
  return {
    hostIP: place.hostIP,
    hostIPs: [{ ip: place.hostIP }],
    podIP: place.podIP,
    podIPs: [{ ip: place.podIP }],
    startTime: pod.status?.startTime ?? timestamp(place.nowMs),
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((container) => ({
        ...containerStatus(pod, container, place, {
          isRunning: state.isRunning && container.restartPolicy === 'Always',
        }),
        ready: true,
      })),
    }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...containerStatus(pod, container, place, state),
      ready: state.isRunning,
    })),
  }
}

/** Every container runs and is ready; plain init containers are done. */
export function runningStatus(pod: Pod, place: PodPlace): WrittenPodStatus {
  return {
    ...placed(pod, place, { isRunning: true }),
    phase: 'Running',
    conditions: conditions(pod, place.nowMs, true),
  }
}

/** Every container ended by itself with exit code 0. */
export function succeededStatus(pod: Pod, place: PodPlace): WrittenPodStatus {
  return {
    ...placed(pod, place, { isRunning: false }),
    phase: 'Succeeded',
    conditions: conditions(pod, place.nowMs, false, 'PodCompleted'),
  }
}

/** Every container ended by itself with another exit code. */
export function failedStatus(pod: Pod, place: PodPlace, exitCode: number): WrittenPodStatus {
  return {
    ...placed(pod, place, { isRunning: false, exitCode }),
    phase: 'Failed',
    conditions: conditions(pod, place.nowMs, false, 'PodFailed'),
  }
}

/** Every container ended with an exit code and will be started again. */
export function restartingStatus(pod: Pod, place: PodPlace, exitCode: number): WrittenPodStatus {
  return {
    ...placed(pod, place, { isRunning: false, exitCode }),
    phase: 'Running',
    conditions: conditions(pod, place.nowMs, false, 'ContainersNotReady'),
  }
}

/** The pod was turned away at admission. */
export function rejectedStatus(pod: Pod, failure: AdmissionFailure, nowMs: number): WrittenPodStatus {
  return {
    phase: 'Failed',
    reason: failure.reason,
    message: `Pod was rejected: ${failure.message}`,
    startTime: pod.status?.startTime ?? timestamp(nowMs),
    conditions: conditions(pod, nowMs, false, 'PodFailed'),
  }
}
