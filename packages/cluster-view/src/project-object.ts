import { boundPodRequest, resourceAmounts } from '@berth/resources'
import type { Container, ContainerStatus, KubernetesObject, Node, ObjectMeta, Pod } from '@berth/types'

/** Maximum length of annotations that are kept: plugins read short ones; tools store whole manifests in long ones. */
const MAX_ANNOTATION_LENGTH = 1_024

/**
 * Drops the fields of a pod that no decision reads: managed fields, large annotations, environment, commands, probes.
 * It drops fields by name, so that unknown fields are kept and the scheduler can refuse them.
 *
 * @throws QuantityError if a request is not a quantity: such a pod could not be accounted for.
 */
export function projectPod(pod: Pod): Pod {
  const { spec, status } = pod
  const projected: Pod = {
    ...pod,
    metadata: projectMetadata(pod),
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

/**
 * Drops managed fields and large annotations of a node.
 *
 * @throws QuantityError if an allocatable amount is not a quantity.
 */
export function projectNode(node: Node): Node {
  resourceAmounts(node.status?.allocatable)
  return { ...node, metadata: projectMetadata(node) }
}

/** Returns the metadata of an object without managed fields and large annotations. */
export function projectMetadata(object: KubernetesObject): ObjectMeta {
  const { managedFields: _, annotations, ...metadata } = object.metadata ?? {}
  if (annotations === undefined) return metadata
  const small = Object.entries(annotations).filter(([, value]) => value.length <= MAX_ANNOTATION_LENGTH)
  // A null prototype, because annotation keys are untrusted input.
  const kept: Record<string, string> = Object.assign(Object.create(null), Object.fromEntries(small))
  return { ...metadata, annotations: kept }
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
