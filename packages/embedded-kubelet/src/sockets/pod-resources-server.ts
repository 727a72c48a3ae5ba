import {
  KUBELET_SOCKET_NAME,
  PodResourcesListerService,
  type ContainerDevices,
  type Device,
  type ListPodResourcesResponse,
  type PodResources,
  type PodResourcesListerServer,
} from '@berth/kubelet-api'
import { status } from '@grpc/grpc-js'
import type { Pod } from '@berth/types'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeviceManager } from '../devices/device-manager.ts'
import { serveUnixSocket } from './unix-socket.ts'

const isFinished = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

/** Returns one entry per device and NUMA node, or one without topology when the plugin reported none. */
export function containerDevices(
  resourceName: string,
  ids: readonly string[],
  deviceOf: (id: string) => Device | undefined,
): ContainerDevices[] {
  return ids.flatMap((id): ContainerDevices[] => {
    const nodes = deviceOf(id)?.topology?.nodes ?? []
    if (nodes.length === 0) return [{ resourceName, deviceIds: [id], topology: undefined }]
    return nodes.map((node) => ({ resourceName, deviceIds: [id], topology: { nodes: [node] } }))
  })
}

/** Returns the devices that a pod holds. */
function podResources(pod: Pod, devices: DeviceManager): PodResources {
  const allocations = devices.allocations(pod.metadata.uid ?? '')
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return {
    name: pod.metadata.name ?? '',
    namespace: pod.metadata.namespace ?? '',
    containers: [...sidecars, ...pod.spec.containers].map(({ name }) => ({
      name,
      devices: allocations
        .filter(({ container }) => container === name)
        .flatMap(({ resourceName, deviceIds }) =>
          containerDevices(resourceName, deviceIds, (id) => devices.device(resourceName, id)),
        ),
      cpuIds: [],
      memory: [],
      dynamicResources: [],
    })),
  }
}

/** Returns the devices of the pods that have not finished. */
export function listPodResources(pods: readonly Pod[], devices: DeviceManager): ListPodResourcesResponse {
  const active = pods.filter((pod) => !isFinished(pod))
  return { podResources: active.map((pod) => podResources(pod, devices)) }
}

/**
 * Serves the pod resources API on `<dir>/kubelet.sock`. Finished pods are not listed.
 *
 * @see kubernetes/kubernetes pkg/kubelet/apis/podresources/server_v1.go (v1.36)
 */
export async function servePodResources(
  dir: string,
  devices: DeviceManager,
  pods: () => readonly Pod[],
): Promise<AsyncDisposable> {
  await mkdir(dir, { recursive: true })
  await rm(join(dir, KUBELET_SOCKET_NAME), { force: true })
  const implementation: PodResourcesListerServer = {
    list(_call, callback) {
      callback(null, listPodResources(pods(), devices))
    },
    getAllocatableResources(_call, callback) {
      const all = [...devices.allocatableDevices()].flatMap(([resourceName, list]) =>
        containerDevices(
          resourceName,
          list.map(({ ID }) => ID),
          (id) => devices.device(resourceName, id),
        ),
      )
      callback(null, { devices: all, cpuIds: [], memory: [] })
    },
    get(call, callback) {
      const { podName, podNamespace } = call.request
      const pod = pods().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace)
      if (pod === undefined) {
        callback({ code: status.UNKNOWN, details: `pod ${podName} in namespace ${podNamespace} not found` })
        return
      }
      callback(null, { podResources: podResources(pod, devices) })
    },
  }
  return serveUnixSocket(join(dir, KUBELET_SOCKET_NAME), (server) =>
    server.addService(PodResourcesListerService, implementation),
  )
}
