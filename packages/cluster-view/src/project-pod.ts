import { boundPodRequest } from '@berth/resources'
import type { Container, ContainerStatus, Pod } from '@berth/types'
import type { ReflectOptions } from '@berth/k8s-client'
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
      ...withNamedFields(spec),
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

const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const
const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses'] as const

/**
 * The parts that are decoded of pods in protobuf. It skips the fields that {@link projectPod} drops. Fields of the spec and of
 * volumes that this version does not know are marked, so that the pod is refused as it is in JSON.
 */
export const podDecoding: NonNullable<ReflectOptions<Pod>['protobuf']> = {
  skips: [
    'metadata.managedFields',
    ...CONTAINER_LISTS.flatMap((list) => [...DROPPED_FROM_CONTAINERS].map((field) => `spec.${list}.${field}`)),
    ...STATUS_LISTS.flatMap((list) => [...DROPPED_FROM_STATUSES].map((field) => `status.${list}.${field}`)),
  ],
  marksUnknown: ['spec', 'spec.volumes'],
}

/** `workloadRef` in Kubernetes v1.35, which v1.36 replaced by `schedulingGroup`. */
const WORKLOAD_REF = 'unknownField42'

/** Gives a field that only older servers send its name back, so that the pod is refused. */
function withNamedFields(spec: Pod['spec']): Pod['spec'] {
  if (!(WORKLOAD_REF in spec)) return spec
  const { [WORKLOAD_REF]: _, ...rest } = spec
  return { ...rest, workloadRef: { name: '', podGroup: '' } }
}

function projectContainer(container: Container): Container {
  return without(container, DROPPED_FROM_CONTAINERS)
}

function projectStatus(status: ContainerStatus): ContainerStatus {
  return without(status, DROPPED_FROM_STATUSES)
}

function without<T extends { readonly name: string }>(object: T, dropped: ReadonlySet<string>): T {
  // Decoded from protobuf, the object never had them.
  if (!Object.keys(object).some((key) => dropped.has(key))) return object
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(object)) if (!dropped.has(key)) kept[key] = value
  return kept as T
}
