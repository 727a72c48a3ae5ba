import type { Pod, Volume } from '@berth/types'

/** Returns whether the source of the volume excludes some sharing between pods. */
export function isExclusiveKind(volume: Volume): boolean {
  const { gcePersistentDisk, awsElasticBlockStore, rbd, iscsi } = volume
  return gcePersistentDisk != null || awsElasticBlockStore != null || rbd != null || iscsi != null
}

/** A unique key of a disk, and whether the volume excludes other readers. */
type Disk = readonly [key: string, isWritten: boolean]

/**
 * Returns the disks behind a volume. An RBD image yields one for each monitor, because two images are the same if pool,
 * name and any monitor are equal. An absent name counts as empty.
 */
function disksOf({ gcePersistentDisk: gce, awsElasticBlockStore: ebs, iscsi, rbd }: Volume): readonly Disk[] {
  const disks: Disk[] = []
  if (gce != null) disks.push([`gce\0${gce.pdName ?? ''}`, gce.readOnly !== true])
  // An EBS volume cannot be attached twice, even for reading.
  if (ebs != null) disks.push([`ebs\0${ebs.volumeID ?? ''}`, true])
  if (iscsi != null) disks.push([`iscsi\0${iscsi.iqn ?? ''}`, iscsi.readOnly !== true])
  for (const monitor of rbd?.monitors ?? []) {
    disks.push([`rbd\0${rbd?.pool ?? ''}\0${rbd?.image ?? ''}\0${monitor}`, rbd?.readOnly !== true])
  }
  return disks
}

/** Returns the disks of the pod's volumes, each with whether a volume writes to it. */
export function requestedDisks(pod: Pod): ReadonlyMap<string, boolean> {
  const requested = new Map<string, boolean>()
  for (const volume of pod.spec.volumes ?? []) {
    for (const [key, isWritten] of disksOf(volume)) requested.set(key, isWritten || requested.get(key) === true)
  }
  return requested
}

/** Returns whether the volume is one of the disks and either side writes. */
export function isConflict(used: Volume, requested: ReadonlyMap<string, boolean>): boolean {
  if (!isExclusiveKind(used)) return false
  return disksOf(used).some(([key, isWritten]) => {
    const isWrittenHere = requested.get(key)
    return isWrittenHere === true || (isWrittenHere === false && isWritten)
  })
}
