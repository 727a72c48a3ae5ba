import { isListed, type ClusterSnapshot } from '@berth/cluster-view'
import type { ApiClient } from '@berth/k8s-client'
import type { ReadOptions } from '../../output/read-json.ts'
import type { ResourceCapacity } from '../rows/capacity-rows.ts'
import { type HeldDevice, heldDevices, sortDevices } from './held-devices.ts'
import { devicePluginPods, readDevicePages } from './read-device-pages.ts'

/** The devices of a cluster, as far as they are known. */
export interface FoundDevices {
  /** By resource, sorted by node and id. */
  readonly devices: ReadonlyMap<string, readonly HeldDevice[]>
  /** Sentences about what is not known. */
  readonly notes: readonly string[]
}

/**
 * Returns which containers hold which devices: from the status of the pods. Of nodes where it says nothing about units
 * that are requested or unhealthy, from the pages of Berth's device plugin.
 */
export async function findDevices(
  client: Pick<ApiClient, 'raw'>,
  {
    snapshot,
    rows,
    ...options
  }: ReadOptions & { readonly snapshot: ClusterSnapshot; readonly rows: readonly ResourceCapacity[] },
): Promise<FoundDevices> {
  const reported = heldDevices(snapshot.pods)
  const unknown = new Map(rows.map((row) => [row.resourceName, nodesWithoutReport(row, reported)]))
  const asked = devicePluginPods(snapshot.pods, new Set([...unknown.values()].flatMap((nodes) => [...nodes])))
  const pages = await readDevicePages(client, asked, options)
  const devices = new Map(
    rows.map(({ resourceName }) => {
      const fromPages = (pages.devices.get(resourceName) ?? []).filter(({ node }) =>
        unknown.get(resourceName)?.has(node),
      )
      const known = new Set(fromPages.map(({ node, id }) => JSON.stringify([node, id])))
      const fromStatus = (reported.get(resourceName) ?? []).filter(
        ({ node, id }) => !known.has(JSON.stringify([node, id])),
      )
      return [resourceName, sortDevices([...fromStatus, ...fromPages])]
    }),
  )
  return { devices, notes: notesOf({ snapshot, rows }, devices, pages.failures) }
}

/** Returns the nodes with requested units whose devices no pod status names, or with unhealthy units. */
function nodesWithoutReport(
  { resourceName, nodes }: ResourceCapacity,
  reported: ReadonlyMap<string, readonly HeldDevice[]>,
): ReadonlySet<string> {
  const named = new Set((reported.get(resourceName) ?? []).map(({ node }) => node))
  return new Set(
    nodes.flatMap(({ node, requested, unhealthy }) =>
      unhealthy > 0n || (requested > 0n && !named.has(node)) ? node : [],
    ),
  )
}

function notesOf(
  { snapshot, rows }: { readonly snapshot: ClusterSnapshot; readonly rows: readonly ResourceCapacity[] },
  devices: ReadonlyMap<string, readonly HeldDevice[]>,
  failures: readonly { readonly node: string; readonly reason: string }[],
): readonly string[] {
  const [first, ...others] = failures
  const isEmpty = rows.every(({ resourceName }) => (devices.get(resourceName) ?? []).length === 0)
  return [
    ...(first === undefined
      ? []
      : [
          `The device plugin on ${first.node}${others.length > 0 ? ` and ${others.length} other nodes` : ''} gave no list of devices: ${first.reason}. It answers the pod proxy with remoteDebug, and names holders with podResources; this user needs the verb get on pods/proxy.`,
        ]),
    ...(isEmpty && first === undefined
      ? [
          isListed(snapshot, 'pods')
            ? 'No pod status names a device. Kubelets report the devices of device plugins from Kubernetes 1.36 (feature gate ResourceHealthStatus).'
            : `Who holds which device is unknown: this user may not list pods${isListed(snapshot, 'pods', snapshot.fallbackNamespace) ? ' of other namespaces' : ''}.`,
        ]
      : []),
  ]
}
