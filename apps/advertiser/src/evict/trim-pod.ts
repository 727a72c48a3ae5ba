import type { Container, ContainerStatus, Pod } from '@berth/types'

/** Drops the parts of a pod that the eviction does not read, so that a large cluster does not fill its memory. */
export function trimPod({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, deletionTimestamp, annotations, ownerReferences } = metadata
  const mirror = annotations?.['kubernetes.io/config.mirror']
  const { nodeName, initContainers } = spec
  const { phase, containerStatuses, initContainerStatuses } = status ?? {}
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(mirror !== undefined && { annotations: { 'kubernetes.io/config.mirror': mirror } }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      containers: spec.containers.map(trimContainer),
      ...(initContainers !== undefined && { initContainers: initContainers.map(trimContainer) }),
    },
    status: {
      ...(phase !== undefined && { phase }),
      ...(containerStatuses !== undefined && { containerStatuses: containerStatuses.map(trimStatus) }),
      ...(initContainerStatuses !== undefined && { initContainerStatuses: initContainerStatuses.map(trimStatus) }),
    },
  }
}

function trimContainer({ name, resources, restartPolicy }: Container): Container {
  return {
    name,
    ...(resources?.limits !== undefined && { resources: { limits: resources.limits } }),
    ...(restartPolicy !== undefined && { restartPolicy }),
  }
}

function trimStatus({ name, allocatedResourcesStatus }: ContainerStatus): ContainerStatus {
  return { name, ...(allocatedResourcesStatus !== undefined && { allocatedResourcesStatus }) }
}
