import type { Container, ContainerPort, ContainerStatus, Pod, PodSpec, ResourceRequirements } from '@berth/types'
import { defaultPodLevelResources } from './default-pod-level-resources.ts'
import { roundList, roundRequirements } from './round-resources.ts'

/** Limits become absent requests. */
function defaultRequestsToLimits(container: Container): Container {
  const limits = container.resources?.limits
  if (limits == null) return container
  return {
    ...container,
    resources: { ...container.resources, requests: { ...limits, ...container.resources?.requests } },
  }
}

function defaultPort(port: ContainerPort, isHostNetwork: boolean): ContainerPort {
  const protocol = port.protocol || 'TCP'
  return isHostNetwork && !port.hostPort ? { ...port, protocol, hostPort: port.containerPort } : { ...port, protocol }
}

function defaultContainer(container: Container, isHostNetwork: boolean): Container {
  const { ports, resources } = container
  return {
    ...container,
    ...(ports && { ports: ports.map((port) => defaultPort(port, isHostNetwork)) }),
    ...(resources && { resources: roundRequirements(resources) }),
  }
}

function roundStatus(status: ContainerStatus): ContainerStatus {
  return {
    ...status,
    ...(status.allocatedResources && { allocatedResources: roundList(status.allocatedResources) }),
    ...(status.resources && { resources: roundRequirements(status.resources) }),
  }
}

function defaultSpec(spec: PodSpec, resources: ResourceRequirements | undefined): PodSpec {
  const complete = (container: Container): Container => defaultContainer(container, spec.hostNetwork === true)
  return {
    ...spec,
    containers: spec.containers.map(complete),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(complete) }),
    ...(spec.overhead && { overhead: roundList(spec.overhead) }),
    ...(resources && { resources: roundRequirements(resources) }),
  }
}

/**
 * The pod as the API server (v1.36) would store it, as far as scheduling can tell: limits become absent
 * requests, amounts are rounded up to milli, pod-level resources and the host ports of pods in the host's
 * network are completed, protocols are named. For manifests that never passed an API server.
 *
 * @returns A new pod; the given one is not changed.
 * @throws QuantityError when an amount is no quantity.
 */
export function applyDefaults(pod: Pod): Pod {
  const { initContainers } = pod.spec
  const spec: PodSpec = {
    ...pod.spec,
    containers: (pod.spec.containers ?? []).map(defaultRequestsToLimits),
    ...(initContainers && { initContainers: initContainers.map(defaultRequestsToLimits) }),
  }
  const resources = defaultPodLevelResources({ ...pod, spec })
  const completed: Pod = { ...pod, spec: defaultSpec(spec, resources) }
  const { status } = pod
  if (status === undefined) return completed
  return {
    ...completed,
    status: {
      ...status,
      ...(status.containerStatuses && { containerStatuses: status.containerStatuses.map(roundStatus) }),
      ...(status.initContainerStatuses && { initContainerStatuses: status.initContainerStatuses.map(roundStatus) }),
      ...(status.allocatedResources && { allocatedResources: roundList(status.allocatedResources) }),
      ...(status.resources && { resources: roundRequirements(status.resources) }),
    },
  }
}
