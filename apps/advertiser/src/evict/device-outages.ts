import type { Pod } from '@berth/types'
import { heldResources, unhealthyDevices } from './pod-devices.ts'

/** As in kube-controller-manager, fewer nodes are never an outage, so that small clusters evict, too. */
const MAX_FAILED_NODES = 2

/** Follows on how many nodes the devices of a resource fail. Devices do not die on most nodes at once, but device plugins do. */
export interface DeviceOutages {
  update(pod: Pod): void
  remove(uid: string): void
  /** Returns why no pod is evicted for a device of this resource now; undefined if pods may be evicted. */
  problem(resourceName: string): string | undefined
}

interface Entry {
  readonly nodeName: string
  readonly held: ReadonlySet<string>
  readonly unhealthy: ReadonlySet<string>
}

/**
 * Creates a record without pods.
 *
 * @param options.maxUnhealthyPercent - Of the nodes whose pods hold devices of a resource, the share that may have an
 *   Unhealthy one before evictions for the resource pause.
 * @see kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState (v1.36)
 */
export function createDeviceOutages(options: {
  readonly resources: ReadonlySet<string>
  readonly maxUnhealthyPercent: number
}): DeviceOutages {
  const { resources, maxUnhealthyPercent } = options
  const entries = new Map<string, Entry>()

  return {
    update(pod) {
      const uid = pod.metadata.uid ?? ''
      const unhealthy = new Set(unhealthyDevices(pod, resources).map(({ resourceName }) => resourceName))
      const held = heldResources(pod, resources).union(unhealthy)
      if (held.size === 0) entries.delete(uid)
      else entries.set(uid, { nodeName: pod.spec.nodeName ?? '', held, unhealthy })
    },
    remove: (uid) => void entries.delete(uid),
    problem(resourceName) {
      const holders = [...entries.values()].filter(({ held }) => held.has(resourceName))
      const nodes = new Set(holders.map(({ nodeName }) => nodeName)).size
      const failed = new Set(
        holders.filter(({ unhealthy }) => unhealthy.has(resourceName)).map(({ nodeName }) => nodeName),
      ).size
      if (failed <= MAX_FAILED_NODES || failed * 100 <= nodes * maxUnhealthyPercent) return undefined
      return (
        `${failed} of the ${nodes} nodes whose pods hold ${resourceName} have an Unhealthy device, more than ` +
        `${maxUnhealthyPercent} %: check its device plugin, or raise eviction.maxUnhealthyPercent`
      )
    },
  }
}
