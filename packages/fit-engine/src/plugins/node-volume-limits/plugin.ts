import type { ClusterObjectsReader, CsiNode } from '@berth/types'
import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { collectCsiVolumes, type CsiVolumes, type CsiVolumesProblem } from './csi-volumes.ts'
import { inTreePluginOf } from '../csi-migration/in-tree-plugins.ts'
import { type NodeVolumes, AttachedVolumes } from './attached-volumes.ts'
import { nodeVolumeLimitsTopics } from './hint.ts'

const REASONS = ['node(s) exceed max volume count'] as const

/**
 * Rejects nodes on which a CSI driver could not attach the pod's volumes in addition to those already attached.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (v1.36)
 */
export function nodeVolumeLimits(): EnginePlugin {
  const attached = new AttachedVolumes()
  return {
    name: 'NodeVolumeLimits',
    eventTopics: nodeVolumeLimitsTopics,
    preFilter: ({ spec }) => {
      const mayAttach = spec.volumes?.some(
        (volume) =>
          volume.persistentVolumeClaim != null || volume.ephemeral != null || inTreePluginOf(volume) !== undefined,
      )
      return mayAttach === true ? undefined : { kind: 'skip' }
    },
    filter: (pod, candidates, output, context) => filter(pod, attached, candidates, output, context),
    causes: (pod, cluster) => limitCauses(pod, attached, cluster),
  }
}

function filter(
  pod: Pod,
  attached: AttachedVolumes,
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  const { objects } = cluster
  const requested = { bare: requestedVolumes(pod, objects, false), csi: requestedVolumes(pod, objects, true) }
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const nodeName = cluster.nodeName(row)
    const csiNode = objects.get('csiNodes', nodeName)
    const { volumes, problem } = csiNode === undefined ? requested.bare : requested.csi
    if (problem !== undefined) {
      rejectWithProblem(output, i, problem)
      continue
    }
    const limits = limitsOf(volumes.size === 0 ? undefined : csiNode)
    if (limits.size === 0) continue
    const pods = cluster.podsOn(row)
    const attachments = attached.attachmentsOn(nodeName, objects)
    if (attached.upperBound(pods) + attachments.length + volumes.size <= smallestLimit(limits, volumes)) continue
    const used = attached.of(pods, attachments, objects)
    if (used.problem !== undefined) rejectWithProblem(output, i, used.problem)
    else if (exceededDrivers(volumes, used, limits).length > 0)
      output.rejectShared(i, StatusCode.Unschedulable, REASONS)
  }
}

function rejectWithProblem(output: EngineFilterOutput, i: number, { kind, reason }: CsiVolumesProblem): void {
  const isMissing = kind === 'missing-claim'
  output.reject(i, isMissing ? StatusCode.UnschedulableAndUnresolvable : StatusCode.Error, reason)
}

function requestedVolumes(
  pod: Pod,
  objects: ClusterObjectsReader,
  hasCsiNode: boolean,
): Pick<NodeVolumes, 'volumes' | 'problem'> {
  const volumes: CsiVolumes = new Map()
  return { volumes, problem: collectCsiVolumes(pod, { objects, hasCsiNode, isCandidate: true }, volumes) }
}

/** Returns the limit of each driver on the node; a driver that is not listed has no limit. */
function limitsOf(csiNode: CsiNode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count != null) limits.set(name, allocatable.count)
  }
  return limits
}

/** Returns the smallest limit among the drivers of the volumes. */
function smallestLimit(limits: ReadonlyMap<string, number>, volumes: CsiVolumes): number {
  let least = Number.POSITIVE_INFINITY
  for (const driver of volumes.values()) least = Math.min(least, limits.get(driver) ?? least)
  // Finite, because without a limit an invalid volume of another pod must still fail the attempt.
  return Number.isFinite(least) ? least : Number.MAX_VALUE
}

/** Names the drivers whose limit the volumes of the pod exceed. */
function limitCauses(
  pod: Pod,
  attached: AttachedVolumes,
  cluster: EngineContext['cluster'],
): (row: number) => readonly string[] {
  const { objects } = cluster
  const { volumes } = requestedVolumes(pod, objects, true)
  return (row) => {
    const nodeName = cluster.nodeName(row)
    const limits = limitsOf(objects.get('csiNodes', nodeName))
    const used = attached.of(cluster.podsOn(row), attached.attachmentsOn(nodeName, objects), objects)
    return exceededDrivers(volumes, used, limits).map(
      ([driver, count]) =>
        `CSI driver ${driver} attaches at most ${limits.get(driver)} volumes to the node: ${used.countByDriver.get(driver) ?? 0} are in use and the pod adds ${count}.`,
    )
  }
}

/**
 * Returns the drivers whose limit the volumes exceed, with the number of volumes that the pod adds. As upstream, an
 * attached volume that no pod uses counts in addition to the pod's own, even when it is the same.
 */
function exceededDrivers(
  requested: CsiVolumes,
  { volumes, countByDriver }: NodeVolumes,
  limits: ReadonlyMap<string, number>,
): readonly (readonly [driver: string, count: number])[] {
  const arriving = new Map<string, number>()
  for (const [volume, driver] of requested) {
    if (!volumes.has(volume)) arriving.set(driver, (arriving.get(driver) ?? 0) + 1)
  }
  return [...arriving].filter(
    ([driver, count]) => (countByDriver.get(driver) ?? 0) + count > (limits.get(driver) ?? Number.POSITIVE_INFINITY),
  )
}
