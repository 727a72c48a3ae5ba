import { boundPodRequest } from '@berth/resources'
import type { Container, ContainerStatus, ObjectMeta, Pod, PodStatus } from '@berth/types'
import type { ReflectOptions } from '@berth/k8s-client'
import { notShared, type SharedValues } from './shared-values.ts'
import { trimMetadata } from './trim-metadata.ts'

/**
 * Drops the fields of a pod that no decision reads: its kind, managed fields, large annotations, environment, commands, probes.
 * Drops them by name, so that unknown fields are kept and the scheduler can refuse the pod.
 *
 * @param shared - Interns parts that are equal in many pods, such as containers and labels. Default: each pod has its
 *   own copy.
 * @throws QuantityError if a request is not a quantity, because the pod's units are then unknown.
 */
export function projectPod(pod: Pod, shared: SharedValues = notShared): Pod {
  const { apiVersion: _, kind: _kind, status, ...rest } = pod
  const projected = shared.compact<Pod>({
    ...rest,
    metadata: shareMetadata(trimMetadata(pod), shared),
    spec: shareFields(projectSpec(pod.spec), shared),
    ...(status !== undefined && { status: projectStatus(status, shared) }),
  })
  boundPodRequest(projected)
  return projected
}

function projectSpec(spec: Pod['spec']): Pod['spec'] {
  const { initContainers, ephemeralContainers } = spec
  return {
    ...withNamedFields(spec),
    containers: spec.containers.map(projectContainer),
    ...(initContainers !== undefined && { initContainers: initContainers.map(projectContainer) }),
    ...(ephemeralContainers !== undefined && { ephemeralContainers: ephemeralContainers.map(projectContainer) }),
  }
}

function projectStatus(status: PodStatus, shared: SharedValues): PodStatus {
  if (Object.keys(status).length === 0) return shared.part(status)
  const { conditions, containerStatuses, initContainerStatuses } = status
  return {
    ...status,
    ...(conditions !== undefined && { conditions: conditions.map((condition) => shareFields(condition, shared)) }),
    ...(containerStatuses !== undefined && { containerStatuses: containerStatuses.map(projectContainerStatus) }),
    ...(initContainerStatuses !== undefined && {
      initContainerStatuses: initContainerStatuses.map(projectContainerStatus),
    }),
  }
}

function shareMetadata(metadata: ObjectMeta, shared: SharedValues): ObjectMeta {
  const { namespace, labels, ownerReferences, creationTimestamp } = metadata
  return shared.compact({
    ...metadata,
    ...(namespace !== undefined && { namespace: shared.text(namespace) }),
    ...(labels !== undefined && { labels: shared.part(labels) }),
    ...(ownerReferences !== undefined && { ownerReferences: shared.part(ownerReferences) }),
    ...(typeof creationTimestamp === 'string' && { creationTimestamp: shared.text(creationTimestamp) }),
  })
}

/** Fields that differ in each pod: the name of a token volume is random. */
const UNIQUE_IN_SPEC: ReadonlySet<string> = new Set(['volumes'])

/** Shares the fields of a spec or a condition. Pods that wait for the same reason have the same message. */
function shareFields<T extends object>(value: T, shared: SharedValues): T {
  const shareField = (key: string, field: unknown): unknown => {
    if (typeof field === 'string') return shared.text(field)
    return typeof field !== 'object' || field === null || UNIQUE_IN_SPEC.has(key) ? field : shared.part(field)
  }
  const entries = Object.entries(value).map(([key, field]) => [key, shareField(key, field)] as const)
  return shared.compact(Object.fromEntries(entries) as unknown as T)
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
 * Tells the protobuf decoder to skip the fields that {@link projectPod} drops, and to mark unknown fields of the spec
 * and of volumes. The scheduler then refuses a pod with such a field, as it does when it reads the pod as JSON.
 */
export const podDecoding: NonNullable<ReflectOptions<Pod>['protobuf']> = {
  skips: [
    'metadata.managedFields',
    ...CONTAINER_LISTS.flatMap((list) => [...DROPPED_FROM_CONTAINERS].map((field) => `spec.${list}.${field}`)),
    ...STATUS_LISTS.flatMap((list) => [...DROPPED_FROM_STATUSES].map((field) => `status.${list}.${field}`)),
  ],
  marksUnknown: ['spec', 'spec.volumes'],
}

/** The decoder's name for `workloadRef`, a field of Kubernetes v1.35 that v1.36 replaced by `schedulingGroup`. */
const WORKLOAD_REF = 'unknownField42'

/**
 * Restores the name `workloadRef`, so that the scheduler refuses the pod and can name the field. Its value is not
 * decoded.
 */
function withNamedFields(spec: Pod['spec']): Pod['spec'] {
  if (!(WORKLOAD_REF in spec)) return spec
  const { [WORKLOAD_REF]: _, ...rest } = spec
  return { ...rest, workloadRef: { name: '', podGroup: '' } }
}

function projectContainer(container: Container): Container {
  return without(container, DROPPED_FROM_CONTAINERS)
}

function projectContainerStatus(status: ContainerStatus): ContainerStatus {
  return without(status, DROPPED_FROM_STATUSES)
}

function without<T extends { readonly name: string }>(object: T, dropped: ReadonlySet<string>): T {
  // An object that was decoded from protobuf does not have these fields.
  if (!Object.keys(object).some((key) => dropped.has(key))) return object
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(object)) if (!dropped.has(key)) kept[key] = value
  return kept as T
}
