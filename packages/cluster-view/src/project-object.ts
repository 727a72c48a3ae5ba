import { boundPodRequest, resourceAmounts } from '@berth/resources'
import type { Container, ContainerStatus, KubernetesObject, Node, ObjectMeta, Pod } from '@berth/types'

/** Annotations are kept up to this size: plugins read small ones, tools store whole manifests in large ones. */
const MAX_ANNOTATION_LENGTH = 1_024

/**
 * A pod without what no decision reads: managed fields, large annotations, environment, commands, probes. It drops by
 * name, so that a field which this version does not know is still there to be refused.
 *
 * @throws QuantityError when a request is no quantity: such a pod could not be accounted.
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
 * A node without managed fields and large annotations.
 *
 * @throws QuantityError when an allocatable amount is no quantity.
 */
export function projectNode(node: Node): Node {
  resourceAmounts(node.status?.allocatable)
  return { ...node, metadata: projectMetadata(node) }
}

/** Metadata without managed fields and large annotations. */
export function projectMetadata(object: KubernetesObject): ObjectMeta {
  const { managedFields: _, annotations, ...metadata } = object.metadata ?? {}
  if (annotations === undefined) return metadata
  const small = Object.entries(annotations).filter(([, value]) => value.length <= MAX_ANNOTATION_LENGTH)
  // A null prototype: annotation keys are foreign input.
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
