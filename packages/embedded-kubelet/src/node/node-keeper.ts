import { isExtendedResourceName } from '@berth/resources'
import type { Clock, Node, ResourceList } from '@berth/types'
import type { DeviceManager } from '../devices/device-manager.ts'
import { KubeletApiError } from '../api/kubelet-api-error.ts'
import { hasWellConditions, nodeObject, readyConditions, type NodeIdentity } from './node-object.ts'
import { resourcePatch, resourceTexts, syncResources } from './node-status.ts'
import type { Rest } from '../api/rest.ts'

/** How long a node that does not change stays without a status write. */
const STATUS_REPORT_MS = 300_000

/** Registers one node and keeps its status. */
export interface NodeKeeper {
  /** Creates the Node, or adopts the one that is there. */
  register(options: { readonly resetsExtendedResources: boolean }): Promise<void>
  /** Writes what changed; nothing when nothing did. Gone nodes stay gone. */
  sync(): Promise<void>
  /** What the watch last said. */
  observe(node: Node | undefined): void
  node(): Node
}

/** Creates the keeper of `identity`. */
export function createNodeKeeper(options: {
  readonly identity: NodeIdentity
  readonly reserved: ResourceList
  readonly rest: Rest
  readonly clock: Clock
  readonly devices: DeviceManager
}): NodeKeeper {
  const { identity, rest, clock, devices } = options
  const path = `/api/v1/nodes/${encodeURIComponent(identity.nodeName)}`
  const native = resourceTexts(identity.capacity)
  const reserved = resourceTexts(options.reserved)
  const none = new Map<string, never>()
  const resources = { capacity: native, allocatable: none }
  const counts = { capacity: none, allocatable: none, removed: [] }
  const { allocatable } = syncResources(resources, native, reserved, counts)
  const initial = nodeObject(identity, Object.fromEntries(allocatable), clock.now())
  let observed: Node | undefined
  let current: Node = initial
  let reportedAtMs = Number.NEGATIVE_INFINITY
  /** What the last sync looked at and found in order. */
  let settled: { readonly node: Node; readonly counts: string } | undefined

  async function create(): Promise<Node | undefined> {
    try {
      return await rest.send<Node>('POST', '/api/v1/nodes', initial)
    } catch (error) {
      if (error instanceof KubeletApiError && error.status === 409) return undefined
      throw error
    }
  }

  async function adopt(resetsExtendedResources: boolean): Promise<Node> {
    const found = await rest.send<Node>('GET', path)
    const { labels } = initial.metadata
    await rest.send('PATCH', path, { metadata: { labels } })
    const extended = Object.keys(found.status?.capacity ?? {}).filter(isExtendedResourceName)
    if (!resetsExtendedResources || extended.length === 0) return found
    const zeros = Object.fromEntries(extended.map((name) => [name, '0']))
    return rest.send<Node>('PATCH', `${path}/status`, { status: { capacity: zeros, allocatable: zeros } })
  }

  return {
    async register({ resetsExtendedResources }) {
      const created = await create()
      // A new node was sent with its status; of one that was there the status is as old as it may be.
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
      if (settled?.node === node && settled.counts === countsText && !isDue) return
      const { status = {} } = node
      const before = { capacity: resourceTexts(status.capacity), allocatable: resourceTexts(status.allocatable) }
      const after = syncResources(before, native, reserved, counts)
      const capacity = resourcePatch(before.capacity, after.capacity)
      const allocatable = resourcePatch(before.allocatable, after.allocatable)
      const isNewBoot = status.nodeInfo?.['bootID'] !== identity.bootId
      const isWell = hasWellConditions(status.conditions)
      if (capacity === undefined && allocatable === undefined && !isDue && !isNewBoot && isWell) {
        settled = { node, counts: countsText }
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
        current = await rest.send<Node>('PATCH', `${path}/status`, { status: patch })
        reportedAtMs = clock.monotonic()
      } catch (error) {
        if (!(error instanceof KubeletApiError) || error.status !== 404) throw error
      }
    },

    observe(node) {
      observed = node
      // The watch may lag behind our own write.
      if (node !== undefined && !isOlder(node, current)) current = node
    },

    node: () => observed ?? current,
  }
}

function isOlder(node: Node, than: Node): boolean {
  if (node.metadata.uid !== than.metadata.uid) return false
  return Number(node.metadata.resourceVersion ?? 0) < Number(than.metadata.resourceVersion ?? 0)
}
