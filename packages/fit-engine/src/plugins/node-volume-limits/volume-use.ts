import type { ClusterObjectsReader, Pod, VolumeAttachment } from '@berth/types'
import { collectCsiVolumes, type CsiVolumes, type CsiVolumesProblem } from './csi-volumes.ts'
import { inTreePluginOf } from '../csi-migration/in-tree-plugins.ts'

/** What is in use on a node, or why it cannot be counted. */
export interface NodeVolumes {
  /** Volumes of its pods. */
  readonly volumes: CsiVolumes
  /** By driver, how many are attached, for its pods or for whatever reason. */
  readonly taken: ReadonlyMap<string, number>
  readonly problem: CsiVolumesProblem | undefined
}

/** Everything that a node's volumes are found by, as it was. */
interface Version {
  readonly attachments: readonly VolumeAttachment[]
  readonly objects: ClusterObjectsReader
  readonly claims: number
  readonly volumes: number
  readonly classes: number
}

function versionOf(attachments: Version['attachments'], objects: ClusterObjectsReader): Version {
  return {
    attachments,
    objects,
    claims: objects.generationOf('persistentVolumeClaims'),
    volumes: objects.generationOf('persistentVolumes'),
    classes: objects.generationOf('storageClasses'),
  }
}

function isSame(a: Version, b: Version): boolean {
  const isSameStore = a.objects === b.objects && a.attachments === b.attachments
  return isSameStore && a.claims === b.claims && a.volumes === b.volumes && a.classes === b.classes
}

/** How many volumes the pod may have attached; infinite when it takes a closer look to see whether they are valid. */
function mostVolumes({ spec }: Pod): number {
  let most = 0
  for (const volume of spec.volumes ?? []) {
    if (volume.persistentVolumeClaim != null && volume.persistentVolumeClaim.claimName) most += 1
    else if (volume.persistentVolumeClaim != null || volume.ephemeral != null) return Number.POSITIVE_INFINITY
    else if (inTreePluginOf(volume) !== undefined) return Number.POSITIVE_INFINITY
  }
  return most
}

/** What is attached for whatever reason, as far as it is a CSI volume that the cluster knows. */
function attachedVolumes({ attachments, objects }: Version): CsiVolumes {
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

function look(pods: readonly Pod[], version: Version): NodeVolumes {
  const volumes: CsiVolumes = new Map()
  const taken = new Map<string, number>()
  for (const pod of pods) {
    const view = { objects: version.objects, hasCsiNode: true, isCandidate: false }
    const problem = collectCsiVolumes(pod, view, volumes)
    if (problem !== undefined) return { volumes, taken, problem }
  }
  const add = (driver: string): unknown => taken.set(driver, (taken.get(driver) ?? 0) + 1)
  for (const driver of volumes.values()) add(driver)
  for (const [volume, driver] of attachedVolumes(version)) if (!volumes.has(volume)) add(driver)
  return { volumes, taken, problem: undefined }
}

const noAttachments: readonly VolumeAttachment[] = []

/**
 * The volumes that nodes have attached. It remembers what follows from lists that are never changed in place, so that
 * it always answers as if it had looked anew.
 */
export class VolumeUse {
  readonly #most = new WeakMap<readonly Pod[], number>()
  readonly #known = new WeakMap<readonly Pod[], { readonly version: Version; readonly use: NodeVolumes }>()
  readonly #attachments = new WeakMap<readonly VolumeAttachment[], ReadonlyMap<string, readonly VolumeAttachment[]>>()

  /** No fewer than the pods' volumes that count; infinite when the pods may have volumes that are not valid. */
  mostOf(pods: readonly Pod[]): number {
    let most = this.#most.get(pods)
    if (most === undefined) {
      most = pods.reduce((sum, pod) => sum + mostVolumes(pod), 0)
      this.#most.set(pods, most)
    }
    return most
  }

  /** What is in use on a node with a CSINode, these pods and these attachments. */
  of(pods: readonly Pod[], attachments: readonly VolumeAttachment[], objects: ClusterObjectsReader): NodeVolumes {
    const version = versionOf(attachments, objects)
    const known = this.#known.get(pods)
    if (known !== undefined && isSame(known.version, version)) return known.use
    const use = look(pods, version)
    this.#known.set(pods, { version, use })
    return use
  }

  /** The attachments of a node. */
  attachmentsOn(nodeName: string, objects: ClusterObjectsReader): readonly VolumeAttachment[] {
    const all = objects.list('volumeAttachments')
    let byNode = this.#attachments.get(all)
    if (byNode === undefined) {
      byNode = Map.groupBy(all, ({ spec }) => spec.nodeName)
      this.#attachments.set(all, byNode)
    }
    return byNode.get(nodeName) ?? noAttachments
  }
}
