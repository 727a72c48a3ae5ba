import { errorText } from '@berth/text/error-text'
import { HEALTHY, UNHEALTHY, type Device } from '@berth/kubelet-api'
import { resourceAmounts } from '@berth/resources'
import type { Clock, Container, Logger, Pod, Random, ResourceStatus } from '@berth/types'
import { chooseDevices, shuffled } from './choose-devices.ts'
import { containerRunOptions, type ContainerRunOptions } from './container-run-options.ts'
import { decodeCheckpoint, encodeCheckpoint } from './device-checkpoint.ts'
import {
  createDeviceInventory,
  type DeviceCounts,
  type ConnectedPlugin,
  type Registration,
} from './device-inventory.ts'
import { DeviceAllocationError } from './device-allocation-error.ts'
import { createPodDevices, type ContainerAllocation } from './pod-devices.ts'

/** Stores the checkpoint. `read` returns undefined when there is none. */
export interface CheckpointStore {
  read(): string | undefined
  write(text: string): void
}

/** Options of {@link createDeviceManager}. */
export interface DeviceManagerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly checkpoint?: CheckpointStore
  /** Whether the end of an old stream also stops a newer registration, as in kubelets up to 1.36. Default: false. */
  readonly hasStreamRace?: boolean
  /** Called when the devices of a resource, or their health, change. */
  readonly onChange?: (resourceName: string) => void
}

/** The kubelet's device manager with topology policy `none`, without the sockets. */
export interface DeviceManager {
  /** Registers a plugin in place of an older one of the resource. Its devices count once it has sent a list of them. */
  register(resourceName: string, plugin: ConnectedPlugin): Registration
  /** Returns the counts for the node's status. Forgets resources without a connected plugin for the grace period. */
  counts(): DeviceCounts
  /** Releases the devices of all pods but this one and `activePodUids`, then allocates devices to its containers. */
  allocate(pod: Pod, activePodUids: ReadonlySet<string>): Promise<void>
  /**
   * Returns `allocatable` with the amounts of device resources raised to those that pods hold. Without it, these pods
   * would be rejected while their plugin is not connected.
   */
  liftAllocatable(allocatable: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint>
  hasPod(podUid: string): boolean
  runOptions(podUid: string, container: string): ContainerRunOptions
  /** Calls PreStartContainer of the plugins that require it. */
  preStart(podUid: string, container: string): Promise<void>
  /** Returns the `allocatedResourcesStatus` of a container. */
  resourceStatuses(podUid: string, container: string): readonly ResourceStatus[]
  allocations(podUid: string): readonly ContainerAllocation[]
  device(resourceName: string, id: string): Device | undefined
  /** Returns the healthy devices by resource. */
  allocatableDevices(): ReadonlyMap<string, readonly Device[]>
}

const healthText = (health: string): string => (health === HEALTHY || health === UNHEALTHY ? health : 'Unknown')

/**
 * Creates a device manager with the state of its checkpoint.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go (v1.36)
 */
export function createDeviceManager(options: DeviceManagerOptions): DeviceManager {
  const { clock, random, log, checkpoint } = options
  const saved = checkpoint?.read()
  const restored = saved === undefined ? undefined : decodeCheckpoint(saved)
  if (saved !== undefined && restored === undefined) log.error({}, 'Device checkpoint is corrupt, starting without it')
  const podDevices = createPodDevices(restored?.allocations)
  const registered = new Set<string>()
  const inventory = createDeviceInventory({
    clock,
    hasStreamRace: options.hasStreamRace ?? false,
    onChange(resourceName) {
      if (inventory.healthyIds(resourceName) !== undefined) registered.add(resourceName)
      save()
      options.onChange?.(resourceName)
    },
  })
  for (const resourceName of restored?.resourceNames ?? []) {
    registered.add(resourceName)
    inventory.restore(resourceName)
  }

  function save(): void {
    const devices = [...registered].map((name) => [name, [...(inventory.healthyIds(name) ?? [])].sort()] as const)
    checkpoint?.write(encodeCheckpoint(podDevices.all(), new Map(devices)))
  }

  const isManaged = (resourceName: string): boolean =>
    inventory.healthyIds(resourceName) !== undefined || podDevices.hasResource(resourceName)

  async function allocateResource(
    podUid: string,
    container: string,
    resourceName: string,
    amount: number,
    reusable: ReadonlySet<string>,
  ): Promise<void> {
    const held = podDevices.find(podUid, container, resourceName)
    const healthy = inventory.healthyIds(resourceName)
    if (held !== undefined && held.deviceIds.length !== amount) {
      throw new DeviceAllocationError(
        `pod "${podUid}" container "${container}" changed request for resource "${resourceName}" from ${held.deviceIds.length} to ${amount}`,
      )
    }
    if (healthy === undefined) throw new DeviceAllocationError(`cannot allocate unregistered device ${resourceName}`)
    if (held !== undefined) {
      if (held.deviceIds.every((id) => healthy.has(id))) return
      const problem =
        healthy.size === 0 ? 'no healthy devices present' : 'previously allocated devices are no longer healthy'
      throw new DeviceAllocationError(`${problem}; cannot allocate unhealthy devices ${resourceName}`)
    }
    const plugin = inventory.connectedPlugin(resourceName)
    if (healthy.size > 0 && plugin === undefined)
      throw new DeviceAllocationError(`unknown Device Plugin ${resourceName}`)
    const deviceIds = await chooseDevices({
      resourceName,
      needed: amount,
      healthy,
      inUse: podDevices.inUse(resourceName),
      reusable,
      random,
      ...(plugin?.options.getPreferredAllocationAvailable === true && {
        prefer: (available, mustInclude, size) =>
          callPlugin(plugin.endpoint.getPreferredAllocation(available, mustInclude, size)),
      }),
    })
    if (plugin === undefined) throw new DeviceAllocationError(`unknown Device Plugin ${resourceName}`)
    const response = await callPlugin(plugin.endpoint.allocate(shuffled(deviceIds, random)))
    podDevices.insert({ podUid, container, resourceName, deviceIds: deviceIds.toSorted(), response })
    save()
  }

  /** Returns the devices that earlier init containers held and that the container may reuse. */
  function reusableFor(pod: Pod, podUid: string, container: Container, resourceName: string): ReadonlySet<string> {
    const ids = new Set<string>()
    for (const each of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      if (each === container) return ids
      const held = podDevices.find(podUid, each.name, resourceName)?.deviceIds ?? []
      const isPlainInit = (pod.spec.initContainers ?? []).includes(each) && each.restartPolicy !== 'Always'
      for (const id of held) {
        if (isPlainInit) ids.add(id)
        else ids.delete(id)
      }
    }
    return ids
  }

  return {
    register: (resourceName, plugin) => inventory.register(resourceName, plugin),

    counts() {
      const counts = inventory.counts()
      for (const resourceName of counts.removed) registered.delete(resourceName)
      if (counts.removed.length > 0) save()
      return counts
    },

    async allocate(pod, activePodUids) {
      const podUid = pod.metadata.uid ?? ''
      if (podDevices.keepPods(new Set([...activePodUids, podUid]))) save()
      for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
        for (const [resourceName, amount] of resourceAmounts(container.resources?.limits)) {
          if (amount === 0n || !isManaged(resourceName)) continue
          const reusable = reusableFor(pod, podUid, container, resourceName)
          await allocateResource(podUid, container.name, resourceName, Number(amount), reusable)
        }
      }
    },

    liftAllocatable(allocatable) {
      const lifted = new Map(allocatable)
      for (const resourceName of new Set(podDevices.all().map((each) => each.resourceName))) {
        const held = BigInt(podDevices.inUse(resourceName).size)
        if ((lifted.get(resourceName) ?? 0n) < held) lifted.set(resourceName, held)
      }
      return lifted
    },

    hasPod: (podUid) => podDevices.hasPod(podUid),
    runOptions: (podUid, container) => containerRunOptions(podDevices.ofContainer(podUid, container)),

    async preStart(podUid, container) {
      for (const { resourceName, deviceIds } of podDevices.ofContainer(podUid, container)) {
        const plugin = inventory.connectedPlugin(resourceName)
        if (plugin?.options.preStartRequired === true) await plugin.endpoint.preStartContainer(deviceIds)
      }
    },

    resourceStatuses: (podUid, container) =>
      podDevices.ofContainer(podUid, container).map(({ resourceName, deviceIds }) => ({
        name: resourceName,
        resources: deviceIds.map((resourceID) => ({
          resourceID,
          health: healthText(inventory.device(resourceName, resourceID)?.health ?? HEALTHY),
        })),
      })),

    allocations: (podUid) => podDevices.ofPod(podUid),
    device: (resourceName, id) => inventory.device(resourceName, id),
    allocatableDevices: () =>
      new Map(
        inventory
          .resourceNames()
          .map((resourceName) => [
            resourceName,
            [...(inventory.healthyIds(resourceName) ?? [])]
              .map((id) => inventory.device(resourceName, id))
              .filter((device) => device !== undefined),
          ]),
      ),
  }
}

/** Turns an error of a plugin call into an admission error with the same message. */
async function callPlugin<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const message = errorText(error)
    throw new DeviceAllocationError(message.startsWith('rpc error: ') ? message : `rpc error: ${message}`, error)
  }
}
