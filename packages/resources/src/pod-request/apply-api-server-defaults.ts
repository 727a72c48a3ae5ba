import type { Container, ContainerPort, ContainerStatus, Pod, PodSpec, ResourceRequirements } from '@berth/types'
import { defaultPodLevelResources } from './default-pod-level-resources.ts'
import { roundList, roundRequirements } from './round-resources.ts'

/** Copies each limit that has no request into the requests. */
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
  const withDefaults = (container: Container): Container => defaultContainer(container, spec.hostNetwork === true)
  return {
    ...spec,
    containers: spec.containers.map(withDefaults),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withDefaults) }),
    ...(spec.overhead && { overhead: roundList(spec.overhead) }),
    ...(resources && { resources: roundRequirements(resources) }),
  }
}

/**
 * Applies the defaults of the API server (v1.36) that affect scheduling, for manifests that no API server has stored.
 * Absent requests are copied from the limits, and amounts are rounded up to milli. Pod-level resources and the host ports
 * of host-network pods are filled in. Ports get a protocol.
 *
 * @returns A new pod; the argument is not changed.
 * @throws QuantityError when an amount is not a quantity.
 */
export function applyApiServerDefaults(pod: Pod): Pod {
  const { initContainers } = pod.spec
  const spec: PodSpec = {
    ...pod.spec,
    containers: (pod.spec.containers ?? []).map(defaultRequestsToLimits),
    ...(initContainers && { initContainers: initContainers.map(defaultRequestsToLimits) }),
  }
  const resources = defaultPodLevelResources({ ...pod, spec })
  const defaulted: Pod = { ...pod, spec: defaultSpec(spec, resources) }
  const { status } = pod
  if (status === undefined) return defaulted
  return {
    ...defaulted,
    status: {
      ...status,
      ...(status.containerStatuses && { containerStatuses: status.containerStatuses.map(roundStatus) }),
      ...(status.initContainerStatuses && { initContainerStatuses: status.initContainerStatuses.map(roundStatus) }),
      ...(status.allocatedResources && { allocatedResources: roundList(status.allocatedResources) }),
      ...(status.resources && { resources: roundRequirements(status.resources) }),
    },
  }
}
