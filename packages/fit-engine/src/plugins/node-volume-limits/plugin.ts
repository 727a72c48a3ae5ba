import type { ClusterObjectsReader, CsiNode } from '@berth/types'
import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { collectCsiVolumes, type CsiVolumes, type CsiVolumesProblem } from './csi-volumes.ts'
import { inTreePluginOf } from '../csi-migration/in-tree-plugins.ts'
import { type NodeVolumes, VolumeUse } from './volume-use.ts'

const REASONS = ['node(s) exceed max volume count'] as const

/**
 * Keeps pods off nodes where a CSI driver could not attach all their volumes beside those that are attached already.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (v1.36)
 */
export function nodeVolumeLimits(): EnginePlugin {
  const use = new VolumeUse()
  return {
    name: 'NodeVolumeLimits',
    preFilter: ({ spec }) => {
      const mayAttach = spec.volumes?.some(
        (volume) =>
          volume.persistentVolumeClaim != null || volume.ephemeral != null || inTreePluginOf(volume) !== undefined,
      )
      return mayAttach === true ? undefined : { kind: 'skip' }
    },
    filter: (pod, candidates, output, context) => filter(pod, use, candidates, output, context),
  }
}

function filter(
  pod: Pod,
  use: VolumeUse,
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  const { objects } = cluster
  const wishes = { bare: wishOf(pod, objects, false), csi: wishOf(pod, objects, true) }
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const nodeName = cluster.nodeName(row)
    const csiNode = objects.get('csiNodes', nodeName)
    const { volumes, problem } = csiNode === undefined ? wishes.bare : wishes.csi
    if (problem !== undefined) {
      refuse(output, i, problem)
      continue
    }
    const limits = limitsOf(volumes.size === 0 ? undefined : csiNode)
    if (limits.size === 0) continue
    const pods = cluster.podsOn(row)
    const attachments = use.attachmentsOn(nodeName, objects)
    if (use.mostOf(pods) + attachments.length + volumes.size <= smallest(limits, volumes)) continue
    const used = use.of(pods, attachments, objects)
    if (used.problem !== undefined) refuse(output, i, used.problem)
    else if (exceeds(volumes, used, limits)) output.rejectShared(i, StatusCode.Unschedulable, REASONS)
  }
}

function refuse(output: EngineFilterOutput, i: number, { kind, reason }: CsiVolumesProblem): void {
  const isMissing = kind === 'missing-claim'
  output.reject(i, isMissing ? StatusCode.UnschedulableAndUnresolvable : StatusCode.Error, reason)
}

function wishOf(
  pod: Pod,
  objects: ClusterObjectsReader,
  hasCsiNode: boolean,
): Pick<NodeVolumes, 'volumes' | 'problem'> {
  const volumes: CsiVolumes = new Map()
  return { volumes, problem: collectCsiVolumes(pod, { objects, hasCsiNode, isCandidate: true }, volumes) }
}

/** How many volumes each driver can attach on the node; a driver that is not named has no limit. */
function limitsOf(csiNode: CsiNode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count != null) limits.set(name, allocatable.count)
  }
  return limits
}

/** The smallest limit among the drivers of the volumes. */
function smallest(limits: ReadonlyMap<string, number>, volumes: CsiVolumes): number {
  let least = Number.POSITIVE_INFINITY
  for (const driver of volumes.values()) least = Math.min(least, limits.get(driver) ?? least)
  // Without any limit, a volume of another pod that is not valid still breaks the attempt.
  return Number.isFinite(least) ? least : Number.MAX_VALUE
}

/** As upstream, a volume that is attached for no pod counts beside the pod's own even where it is the same. */
function exceeds(wanted: CsiVolumes, { volumes, taken }: NodeVolumes, limits: ReadonlyMap<string, number>): boolean {
  const arriving = new Map<string, number>()
  for (const [volume, driver] of wanted) {
    if (!volumes.has(volume)) arriving.set(driver, (arriving.get(driver) ?? 0) + 1)
  }
  return arriving
    .entries()
    .some(([driver, count]) => (taken.get(driver) ?? 0) + count > (limits.get(driver) ?? Number.POSITIVE_INFINITY))
}
