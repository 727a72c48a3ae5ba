import { errorText } from '@berth/text/error-text'
import { HEALTHY, UNHEALTHY, type Device } from '@berth/kubelet-api'
import { resourceAmounts } from '@berth/resources'
import type { Clock, Container, Logger, Pod, Random, ResourceStatus } from '@berth/types'
import { chooseDevices, shuffled } from './choose-devices.ts'
import { containerRunOptions, type ContainerRunOptions } from './container-run-options.ts'
import { decodeCheckpoint, encodeCheckpoint } from './device-checkpoint.ts'
import { createDeviceInventory, type DeviceCounts, type LiveEndpoint, type Registration } from './device-inventory.ts'
import { DeviceAllocationError } from './device-allocation-error.ts'
import { createPodDevices, type ContainerAllocation } from './pod-devices.ts'

/** Where the checkpoint lives; absent file: undefined. */
export interface CheckpointStore {
  read(): string | undefined
  write(text: string): void
}

/** What a device manager needs of the world. */
export interface DeviceManagerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly checkpoint?: CheckpointStore
  /** Kubelets up to 1.36: the end of an old stream also stops a newer registration. Default: false. */
  readonly hasStreamRace?: boolean
  /** Called when devices of a resource, or their health, changed. */
  readonly onChange?: (resourceName: string) => void
}

/** The kubelet's device manager with topology policy `none`; sockets are somebody else's. */
export interface DeviceManager {
  /** The newest registration of a resource wins; nothing counts before its first list. */
  register(resourceName: string, live: LiveEndpoint): Registration
  counts(): DeviceCounts
  /** Gives every container of the pod its devices; `activePodUids` hold theirs, all others lose them. */
  allocate(pod: Pod, activePodUids: ReadonlySet<string>): Promise<void>
  /** Allocatable as admission sees it: never below what pods of this node already hold. */
  liftAllocatable(allocatable: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint>
  hasPod(podUid: string): boolean
  runOptions(podUid: string, container: string): ContainerRunOptions
  /** Calls PreStartContainer where the plugin asked for it. */
  preStart(podUid: string, container: string): Promise<void>
  /** `allocatedResourcesStatus` of one container; empty: it holds nothing. */
  resourceStatuses(podUid: string, container: string): readonly ResourceStatus[]
  allocations(podUid: string): readonly ContainerAllocation[]
  device(resourceName: string, id: string): Device | undefined
  /** Healthy devices by resource. */
  allocatableDevices(): ReadonlyMap<string, readonly Device[]>
}

const healthText = (health: string): string => (health === HEALTHY || health === UNHEALTHY ? health : 'Unknown')

/**
 * Creates a device manager in the state that its checkpoint describes.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go (v1.36)
 */
export function createDeviceManager(options: DeviceManagerOptions): DeviceManager {
  const { clock, random, log, checkpoint } = options
  const saved = checkpoint?.read()
  const known = saved === undefined ? undefined : decodeCheckpoint(saved)
  if (saved !== undefined && known === undefined) log.error({}, 'Device checkpoint is corrupt, starting without it')
  const podDevices = createPodDevices(known?.allocations)
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
  for (const resourceName of known?.resourceNames ?? []) {
    registered.add(resourceName)
    inventory.recall(resourceName)
  }

  function save(): void {
    const devices = [...registered].map((name) => [name, [...(inventory.healthyIds(name) ?? [])].sort()] as const)
    checkpoint?.write(encodeCheckpoint(podDevices.all(), new Map(devices)))
  }

  const isOurs = (resourceName: string): boolean =>
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
      const what =
        healthy.size === 0 ? 'no healthy devices present' : 'previously allocated devices are no longer healthy'
      throw new DeviceAllocationError(`${what}; cannot allocate unhealthy devices ${resourceName}`)
    }
    const live = inventory.live(resourceName)
    if (healthy.size > 0 && live === undefined) throw new DeviceAllocationError(`unknown Device Plugin ${resourceName}`)
    const deviceIds = await chooseDevices({
      resourceName,
      needed: amount,
      healthy,
      inUse: podDevices.inUse(resourceName),
      reusable,
      random,
      ...(live?.options.getPreferredAllocationAvailable === true && {
        prefer: (available, mustInclude, size) =>
          said(live.endpoint.getPreferredAllocation(available, mustInclude, size)),
      }),
    })
    if (live === undefined) throw new DeviceAllocationError(`unknown Device Plugin ${resourceName}`)
    const response = await said(live.endpoint.allocate(shuffled(deviceIds, random)))
    podDevices.insert({ podUid, container, resourceName, deviceIds: deviceIds.toSorted(), response })
    save()
  }

  /** The container's devices of earlier init containers that it may take over. */
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
    register: (resourceName, live) => inventory.register(resourceName, live),

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
          if (amount === 0n || !isOurs(resourceName)) continue
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
        const live = inventory.live(resourceName)
        if (live?.options.preStartRequired === true) await live.endpoint.preStartContainer(deviceIds)
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

/** Turns a plugin's refusal into an admission error with its words. */
async function said<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const words = errorText(error)
    throw new DeviceAllocationError(words.startsWith('rpc error: ') ? words : `rpc error: ${words}`, error)
  }
}
