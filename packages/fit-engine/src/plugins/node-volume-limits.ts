import type { ClusterObjectsReader, CsiNode, VolumeAttachment } from '@berth/types'
import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../framework/engine-plugin.ts'
import { collectCsiVolumes, type CsiVolumes, type CsiVolumesProblem } from '../volumes/csi-volumes.ts'
import { inTreePluginOf } from '../volumes/in-tree-plugins.ts'

const REASONS = ['node(s) exceed max volume count'] as const

/** Node name -> its attachments. */
type Attachments = ReadonlyMap<string, readonly VolumeAttachment[]>

/**
 * Keeps pods off nodes where a CSI driver could not attach all their volumes beside those that are attached already.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (v1.36)
 */
export const nodeVolumeLimits: EnginePlugin = {
  name: 'NodeVolumeLimits',
  preFilter: ({ spec }) => {
    const mayAttach = spec.volumes?.some(
      (volume) =>
        volume.persistentVolumeClaim != null || volume.ephemeral != null || inTreePluginOf(volume) !== undefined,
    )
    return mayAttach === true ? undefined : { kind: 'skip' }
  },
  filter,
}

function filter(pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, context: EngineContext): void {
  const { cluster } = context
  const { objects } = cluster
  const wishes = { bare: wishOf(pod, objects, false), csi: wishOf(pod, objects, true) }
  const refuse = (i: number, problem: CsiVolumesProblem): void => {
    const isMissing = problem.kind === 'missing-claim'
    output.reject(i, isMissing ? StatusCode.UnschedulableAndUnresolvable : StatusCode.Error, problem.reason)
  }
  let attachments: Attachments | undefined
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const nodeName = cluster.nodeName(row)
    const csiNode = objects.get('csiNodes', nodeName)
    const { volumes, problem } = csiNode === undefined ? wishes.bare : wishes.csi
    if (problem !== undefined) {
      refuse(i, problem)
      continue
    }
    const limits = volumes.size === 0 ? undefined : limitsOf(csiNode)
    if (limits === undefined || limits.size === 0) continue
    const used = volumesOn(cluster.podsOn(row), objects)
    if (used.problem !== undefined) {
      refuse(i, used.problem)
      continue
    }
    attachments ??= byNode(objects.list('volumeAttachments'))
    const others = attachedVolumes(attachments.get(nodeName) ?? [], objects)
    if (exceeds(volumes, used.volumes, others, limits)) output.rejectShared(i, StatusCode.Unschedulable, REASONS)
  }
}

/** Volumes, or why they cannot be counted. */
interface Counted {
  readonly volumes: CsiVolumes
  readonly problem: CsiVolumesProblem | undefined
}

function wishOf(pod: Pod, objects: ClusterObjectsReader, hasCsiNode: boolean): Counted {
  const volumes: CsiVolumes = new Map()
  return { volumes, problem: collectCsiVolumes(pod, { objects, hasCsiNode, isCandidate: true }, volumes) }
}

function volumesOn(pods: readonly Pod[], objects: ClusterObjectsReader): Counted {
  const volumes: CsiVolumes = new Map()
  for (const pod of pods) {
    const problem = collectCsiVolumes(pod, { objects, hasCsiNode: true, isCandidate: false }, volumes)
    if (problem !== undefined) return { volumes, problem }
  }
  return { volumes, problem: undefined }
}

/** How many volumes each driver can attach on the node; a driver that is not named has no limit. */
function limitsOf(csiNode: CsiNode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count != null) limits.set(name, allocatable.count)
  }
  return limits
}

function byNode(attachments: readonly VolumeAttachment[]): Attachments {
  const lists = new Map<string, VolumeAttachment[]>()
  for (const attachment of attachments) {
    const list = lists.get(attachment.spec.nodeName)
    if (list === undefined) lists.set(attachment.spec.nodeName, [attachment])
    else list.push(attachment)
  }
  return lists
}

/** What is attached for whatever reason, as far as it is a CSI volume that the cluster knows. */
function attachedVolumes(attachments: readonly VolumeAttachment[], objects: ClusterObjectsReader): CsiVolumes {
  const volumes: CsiVolumes = new Map()
  for (const { spec } of attachments) {
    const { attacher, source } = spec
    const volumeName = source?.persistentVolumeName
    if (attacher === '' || attacher == null || volumeName == null) continue
    const csi = objects.get('persistentVolumes', volumeName)?.spec.csi
    if (csi != null) volumes.set(`${attacher}/${csi.volumeHandle ?? ''}`, attacher)
  }
  return volumes
}

function exceeds(
  wanted: CsiVolumes,
  used: CsiVolumes,
  attached: CsiVolumes,
  limits: ReadonlyMap<string, number>,
): boolean {
  const total = new Map<string, number>()
  const add = (driver: string): unknown => total.set(driver, (total.get(driver) ?? 0) + 1)
  const isNew = ([volume]: readonly [string, string]): boolean => !used.has(volume)
  const arriving = [...wanted].filter(isNew)
  for (const driver of used.values()) add(driver)
  // As upstream, an attached volume counts beside the pod's own even where it is the same.
  for (const [, driver] of [...[...attached].filter(isNew), ...arriving]) add(driver)
  return arriving.some(([, driver]) => (total.get(driver) ?? 0) > (limits.get(driver) ?? Number.POSITIVE_INFINITY))
}
