import { podRequestList } from '@berth/resources'
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus, ResourceStatus } from '@berth/types'
import { createHash } from 'node:crypto'
import type { AdmissionFailure } from './resource-shortage.ts'
import { timestamp } from '../node/node-object.ts'

/** The state of a pod on its node, from which its status is built. */
export interface PodRuntime {
  readonly nowMs: number
  readonly hostIP: string
  readonly podIP: string
  /** Restarts of the containers, which the API server may not know yet. */
  readonly restarts: number
  /** Why a requested resize is not granted; undefined when no resize is pending. */
  readonly pendingResize?: string | undefined
  /** Returns the `allocatedResourcesStatus` of a container. */
  readonly devices: (container: string) => readonly ResourceStatus[]
}

/** A pod status with all fields that the kubelet writes. */
export type KubeletPodStatus = PodStatus & {
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly observedGeneration?: number
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  readonly podIPs?: readonly { readonly ip: string }[]
}

function conditions(
  pod: Pod,
  { nowMs, pendingResize }: Pick<PodRuntime, 'nowMs' | 'pendingResize'>,
  isReady: boolean,
  reason?: string,
): readonly PodCondition[] {
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
      ...observedGenerationOf(pod),
    }
  }
  const pending = before.find(({ type }) => type === 'PodResizePending')
  const deferred: PodCondition = {
    type: 'PodResizePending',
    status: 'True',
    reason: 'Deferred',
    message: pendingResize ?? '',
    lastProbeTime: timestamp(nowMs),
    lastTransitionTime: pending?.lastTransitionTime ?? timestamp(nowMs),
    ...observedGenerationOf(pod),
  }
  const ownTypes = new Set(['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodResizePending'])
  return [
    ...(pendingResize === undefined ? [] : [deferred]),
    condition('PodReadyToStartContainers', isReady),
    condition('Initialized', true),
    condition('Ready', isReady),
    condition('ContainersReady', isReady),
    ...before.filter(({ type }) => !ownTypes.has(type)),
  ]
}

// The generation of the spec that the status is about.
function observedGenerationOf({ metadata }: Pod): { readonly observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }
}

/** Whether containers run, and how they exited. */
interface ContainerState {
  readonly isRunning: boolean
  /** Exit code of containers that do not run. Default: 0. */
  readonly exitCode?: number
}

function containerStatus(
  pod: Pod,
  container: Container,
  place: PodRuntime,
  { isRunning, exitCode = 0 }: ContainerState,
): ContainerStatus {
  const { uid = '' } = pod.metadata
  const status: KubeletPodStatus = pod.status ?? {}
  const old = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ].find(({ name }) => name === container.name)
  const containerID = `containerd://${createHash('sha256').update(`${uid}/${container.name}`).digest('hex')}`
  const now = timestamp(place.nowMs)
  const oldRunning = old?.state?.['running'] as { readonly startedAt?: string } | undefined
  const startedAt = oldRunning?.startedAt ?? now
  const devices = place.devices(container.name)
  const image = container.image ?? ''
  const requests = container.resources?.requests
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
    ...(requests !== undefined && { allocatedResources: requests }),
    resources: container.resources ?? {},
    ...(devices.length > 0 && { allocatedResourcesStatus: devices }),
  }
}

function runtimeFields(pod: Pod, place: PodRuntime, state: ContainerState): KubeletPodStatus {
  const initContainers = pod.spec.initContainers ?? []
  return {
    ...observedGenerationOf(pod),
    ...(pod.spec.resources !== undefined && {
      resources: pod.spec.resources,
      allocatedResources: Object.fromEntries(
        [...podRequestList(pod)].map(([name, amount]) => [name, amount.toString()]),
      ),
    }),
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
    ...ephemeralContainerFields(pod, place, state.isRunning),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...containerStatus(pod, container, place, state),
      ready: state.isRunning,
    })),
  }
}

/** Returns the statuses of ephemeral containers. They run as long as the pod, and are never ready. */
function ephemeralContainerFields(
  pod: Pod,
  place: PodRuntime,
  isRunning: boolean,
): Pick<KubeletPodStatus, 'ephemeralContainerStatuses'> {
  const containers = pod.spec.ephemeralContainers ?? []
  if (containers.length === 0) return {}
  return {
    ephemeralContainerStatuses: containers.map((container) => {
      const { resources: _, started: __, ...status } = containerStatus(pod, container, place, { isRunning })
      return { ...status, restartCount: 0, ready: false }
    }),
  }
}

/** Returns the status of a pod whose containers run and are ready. Plain init containers have completed. */
export function runningStatus(pod: Pod, place: PodRuntime): KubeletPodStatus {
  return {
    ...runtimeFields(pod, place, { isRunning: true }),
    phase: 'Running',
    conditions: conditions(pod, place, true),
  }
}

/** Returns the status of a pod whose containers exited with code 0. */
export function succeededStatus(pod: Pod, place: PodRuntime): KubeletPodStatus {
  return {
    ...runtimeFields(pod, place, { isRunning: false }),
    phase: 'Succeeded',
    conditions: conditions(pod, place, false, 'PodCompleted'),
  }
}

/** Returns the status of a pod whose containers exited with another code and are not restarted. */
export function failedStatus(pod: Pod, place: PodRuntime, exitCode: number): KubeletPodStatus {
  return {
    ...runtimeFields(pod, place, { isRunning: false, exitCode }),
    phase: 'Failed',
    conditions: conditions(pod, place, false, 'PodFailed'),
  }
}

/** Returns the status of a pod whose containers exited and wait for their restart. */
export function restartingStatus(pod: Pod, place: PodRuntime, exitCode: number): KubeletPodStatus {
  return {
    ...runtimeFields(pod, place, { isRunning: false, exitCode }),
    ...ephemeralContainerFields(pod, place, true),
    phase: 'Running',
    conditions: conditions(pod, place, false, 'ContainersNotReady'),
  }
}

/** Returns the status of a pod that was rejected at admission. */
export function rejectedStatus(pod: Pod, failure: AdmissionFailure, nowMs: number): KubeletPodStatus {
  return {
    ...observedGenerationOf(pod),
    phase: 'Failed',
    reason: failure.reason,
    message: `Pod was rejected: ${failure.message}`,
    startTime: pod.status?.startTime ?? timestamp(nowMs),
    conditions: conditions(pod, { nowMs }, false, 'PodFailed'),
  }
}
