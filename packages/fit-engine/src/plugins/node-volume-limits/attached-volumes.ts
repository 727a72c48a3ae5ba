import type { ClusterObjectsReader, Pod, VolumeAttachment } from '@berth/types'
import { collectCsiVolumes, type CsiVolumes, type CsiVolumesProblem } from './csi-volumes.ts'
import { inTreePluginOf } from '../csi-migration/in-tree-plugins.ts'

/** Volumes in use on a node, or why they cannot be counted. */
export interface NodeVolumes {
  /** Volumes of its pods. */
  readonly volumes: CsiVolumes
  /** Numbers of attached volumes by driver, also of volumes that no pod of the node uses. */
  readonly countByDriver: ReadonlyMap<string, number>
  readonly problem: CsiVolumesProblem | undefined
}

/** Versions of the inputs from which a node's volumes were computed. */
interface InputVersion {
  readonly attachments: readonly VolumeAttachment[]
  readonly objects: ClusterObjectsReader
  readonly claims: number
  readonly volumes: number
  readonly classes: number
}

function inputVersion(attachments: InputVersion['attachments'], objects: ClusterObjectsReader): InputVersion {
  return {
    attachments,
    objects,
    claims: objects.generationOf('persistentVolumeClaims'),
    volumes: objects.generationOf('persistentVolumes'),
    classes: objects.generationOf('storageClasses'),
  }
}

function isSameVersion(a: InputVersion, b: InputVersion): boolean {
  const isSameStore = a.objects === b.objects && a.attachments === b.attachments
  return isSameStore && a.claims === b.claims && a.volumes === b.volumes && a.classes === b.classes
}

/** Returns the largest number of volumes that the pod may attach; infinite when a volume may be invalid. */
function volumeUpperBound({ spec }: Pod): number {
  let bound = 0
  for (const volume of spec.volumes ?? []) {
    if (volume.persistentVolumeClaim != null && volume.persistentVolumeClaim.claimName) bound += 1
    else if (volume.persistentVolumeClaim != null || volume.ephemeral != null) return Number.POSITIVE_INFINITY
    else if (inTreePluginOf(volume) !== undefined) return Number.POSITIVE_INFINITY
  }
  return bound
}

/** Returns the volumes of the VolumeAttachments that are CSI volumes known to the cluster. */
function attachedVolumes({ attachments, objects }: InputVersion): CsiVolumes {
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

function countVolumes(pods: readonly Pod[], version: InputVersion): NodeVolumes {
  const volumes: CsiVolumes = new Map()
  const countByDriver = new Map<string, number>()
  for (const pod of pods) {
    const view = { objects: version.objects, hasCsiNode: true, isCandidate: false }
    const problem = collectCsiVolumes(pod, view, volumes)
    if (problem !== undefined) return { volumes, countByDriver, problem }
  }
  const add = (driver: string): unknown => countByDriver.set(driver, (countByDriver.get(driver) ?? 0) + 1)
  for (const driver of volumes.values()) add(driver)
  for (const [volume, driver] of attachedVolumes(version)) if (!volumes.has(volume)) add(driver)
  return { volumes, countByDriver, problem: undefined }
}

const noAttachments: readonly VolumeAttachment[] = []

/**
 * The volumes attached to nodes. Results are cached by the identity of lists that are never changed in place, and by
 * the versions of other inputs.
 */
export class AttachedVolumes {
  readonly #upperBounds = new WeakMap<readonly Pod[], number>()
  readonly #cached = new WeakMap<readonly Pod[], { readonly version: InputVersion; readonly inUse: NodeVolumes }>()
  readonly #attachmentsByNode = new WeakMap<
    readonly VolumeAttachment[],
    ReadonlyMap<string, readonly VolumeAttachment[]>
  >()

  /**
   * Returns an upper bound of the number of volumes that these pods attach; infinite when one of the volumes may be
   * invalid.
   */
  upperBound(pods: readonly Pod[]): number {
    let bound = this.#upperBounds.get(pods)
    if (bound === undefined) {
      bound = pods.reduce((sum, pod) => sum + volumeUpperBound(pod), 0)
      this.#upperBounds.set(pods, bound)
    }
    return bound
  }

  /** Returns the volumes in use on a node with a CSINode, these pods and these attachments. */
  of(pods: readonly Pod[], attachments: readonly VolumeAttachment[], objects: ClusterObjectsReader): NodeVolumes {
    const version = inputVersion(attachments, objects)
    const cached = this.#cached.get(pods)
    if (cached !== undefined && isSameVersion(cached.version, version)) return cached.inUse
    const inUse = countVolumes(pods, version)
    this.#cached.set(pods, { version, inUse })
    return inUse
  }

  /** Returns the attachments of a node. */
  attachmentsOn(nodeName: string, objects: ClusterObjectsReader): readonly VolumeAttachment[] {
    const all = objects.list('volumeAttachments')
    let byNode = this.#attachmentsByNode.get(all)
    if (byNode === undefined) {
      byNode = Map.groupBy(all, ({ spec }) => spec.nodeName)
      this.#attachmentsByNode.set(all, byNode)
    }
    return byNode.get(nodeName) ?? noAttachments
  }
}
