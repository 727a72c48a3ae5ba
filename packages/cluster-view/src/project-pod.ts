import { boundPodRequest } from '@berth/resources'
import type { Container, ContainerStatus, Pod } from '@berth/types'
import { trimMetadata } from './trim-metadata.ts'

/**
 * Drops the fields of a pod that no decision reads: managed fields, large annotations, environment, commands, probes.
 * It drops fields by name, so that unknown fields are kept and the scheduler can refuse them.
 *
 * @throws QuantityError if a request is not a quantity: the units of such a pod are not known.
 */
export function projectPod(pod: Pod): Pod {
  const { spec, status } = pod
  const projected: Pod = {
    ...pod,
    metadata: trimMetadata(pod),
    spec: {
      ...spec,
      containers: spec.containers.map(projectContainer),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(projectContainer) }),
      ...(spec.ephemeralContainers === undefined
        ? {}
        : { ephemeralContainers: spec.ephemeralContainers.map(projectContainer) }),
    },
    ...(status === undefined
      ? {}
      : {
          status: {
            ...status,
            ...(status.containerStatuses === undefined
              ? {}
              : { containerStatuses: status.containerStatuses.map(projectStatus) }),
            ...(status.initContainerStatuses === undefined
              ? {}
              : { initContainerStatuses: status.initContainerStatuses.map(projectStatus) }),
          },
        }),
  }
  boundPodRequest(projected)
  return projected
}

const DROPPED_FROM_CONTAINERS: ReadonlySet<string> = new Set([
  'args',
  'command',
  'env',
  'envFrom',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'securityContext',
  'startupProbe',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'volumeMounts',
])

const DROPPED_FROM_STATUSES: ReadonlySet<string> = new Set([
  'containerID',
  'image',
  'imageID',
  'lastState',
  'volumeMounts',
])

function projectContainer(container: Container): Container {
  return without(container, DROPPED_FROM_CONTAINERS)
}

function projectStatus(status: ContainerStatus): ContainerStatus {
  return without(status, DROPPED_FROM_STATUSES)
}

function without<T extends { readonly name: string }>(object: T, dropped: ReadonlySet<string>): T {
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(object)) if (!dropped.has(key)) kept[key] = value
  return kept as T
}
