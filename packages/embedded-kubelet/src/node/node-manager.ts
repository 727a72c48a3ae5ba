import { isExtendedResourceName } from '@berth/resources'
import type { Clock, Node, ResourceList } from '@berth/types'
import type { DeviceManager } from '../devices/device-manager.ts'
import { KubeletApiError } from '../api/kubelet-api-error.ts'
import { hasReadyConditions, nodeObject, readyConditions, type NodeIdentity } from './node-object.ts'
import { resourcePatch, quantitiesOf, syncResources } from './node-status.ts'
import type { ApiClient } from '../api/api-client.ts'

/** Maximum time between two status writes, also when nothing changed. */
const STATUS_REPORT_MS = 300_000

/** Registers one node and keeps its status up to date. */
export interface NodeManager {
  /** Creates the Node object, or adopts the existing one. */
  register(options: { readonly resetsExtendedResources: boolean }): Promise<void>
  /** Writes the status if it changed. Does not recreate a deleted Node. */
  sync(): Promise<void>
  /** Receives the node as the watch shows it; undefined when it was deleted. */
  observe(node: Node | undefined): void
  /** Returns the node as the watch last showed it. Without one, returns the node as the kubelet last wrote it. */
  node(): Node
}

/** Creates the manager of one node. */
export function createNodeManager(options: {
  readonly identity: NodeIdentity
  readonly reserved: ResourceList
  readonly api: ApiClient
  readonly clock: Clock
  readonly devices: DeviceManager
}): NodeManager {
  const { identity, api, clock, devices } = options
  const path = `/api/v1/nodes/${encodeURIComponent(identity.nodeName)}`
  const native = quantitiesOf(identity.capacity)
  const reserved = quantitiesOf(options.reserved)
  const empty = new Map<string, never>()
  const resources = { capacity: native, allocatable: empty }
  const counts = { capacity: empty, allocatable: empty, removed: [] }
  const { allocatable } = syncResources(resources, native, reserved, counts)
  const initial = nodeObject(identity, Object.fromEntries(allocatable), clock.now())
  let observed: Node | undefined
  /** The newest of the observed node and the response to the kubelet's last write. */
  let current: Node = initial
  let reportedAtMs = Number.NEGATIVE_INFINITY
  /** The input of the last sync that had nothing to write. */
  let lastUnchanged: { readonly node: Node; readonly counts: string } | undefined

  async function create(): Promise<Node | undefined> {
    try {
      return await api.send<Node>('POST', '/api/v1/nodes', initial)
    } catch (error) {
      if (error instanceof KubeletApiError && error.status === 409) return undefined
      throw error
    }
  }

  async function adopt(resetsExtendedResources: boolean): Promise<Node> {
    const found = await api.send<Node>('GET', path)
    const { labels } = initial.metadata
    await api.send('PATCH', path, { metadata: { labels } })
    const extended = Object.keys(found.status?.capacity ?? {}).filter(isExtendedResourceName)
    if (!resetsExtendedResources || extended.length === 0) return found
    const zeros = Object.fromEntries(extended.map((name) => [name, '0']))
    return api.send<Node>('PATCH', `${path}/status`, { status: { capacity: zeros, allocatable: zeros } })
  }

  return {
    async register({ resetsExtendedResources }) {
      const created = await create()
      // A new node was created with its status. The status of an adopted node is written at the next sync.
      reportedAtMs = created === undefined ? Number.NEGATIVE_INFINITY : clock.monotonic()
      current = created ?? (await adopt(resetsExtendedResources))
    },

    async sync() {
      const node = current
      const counts = devices.counts()
      const hasDevices = counts.capacity.size > 0 || counts.removed.length > 0
      const countsText = hasDevices
        ? JSON.stringify([[...counts.capacity], [...counts.allocatable], counts.removed])
        : ''
      const isDue = clock.monotonic() - reportedAtMs >= STATUS_REPORT_MS
      if (lastUnchanged?.node === node && lastUnchanged.counts === countsText && !isDue) return
      const { status = {} } = node
      const before = { capacity: quantitiesOf(status.capacity), allocatable: quantitiesOf(status.allocatable) }
      const after = syncResources(before, native, reserved, counts)
      const capacity = resourcePatch(before.capacity, after.capacity)
      const allocatable = resourcePatch(before.allocatable, after.allocatable)
      const isNewBoot = status.nodeInfo?.['bootID'] !== identity.bootId
      const isHealthy = hasReadyConditions(status.conditions)
      if (capacity === undefined && allocatable === undefined && !isDue && !isNewBoot && isHealthy) {
        lastUnchanged = { node, counts: countsText }
        return
      }
      const patch = {
        ...(capacity !== undefined && { capacity }),
        ...(allocatable !== undefined && { allocatable }),
        conditions: readyConditions(clock.now(), status.conditions),
        addresses: initial.status?.addresses,
        nodeInfo: initial.status?.nodeInfo,
      }
      try {
        current = await api.send<Node>('PATCH', `${path}/status`, { status: patch })
        reportedAtMs = clock.monotonic()
      } catch (error) {
        if (!(error instanceof KubeletApiError) || error.status !== 404) throw error
      }
    },

    observe(node) {
      observed = node
      // The watch may lag behind the kubelet's own write.
      if (node !== undefined && !isOlder(node, current)) current = node
    },

    node: () => observed ?? current,
  }
}

function isOlder(node: Node, than: Node): boolean {
  if (node.metadata.uid !== than.metadata.uid) return false
  return Number(node.metadata.resourceVersion ?? 0) < Number(than.metadata.resourceVersion ?? 0)
}
