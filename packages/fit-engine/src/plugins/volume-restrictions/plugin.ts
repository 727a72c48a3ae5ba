import { type Candidates, type Pod, type PreFilterResult, StatusCode, type Volume } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { claimNotFound, findClaim } from '../volume-claims/claim.ts'

const DISK_CONFLICT = ['node(s) had no available disk'] as const
const CLAIM_IN_USE = [
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
] as const
const STATE = 'exclusive-claims'

/** The pod's claims that one pod alone may use, and how often others use them. */
interface ExclusiveClaims {
  readonly names: ReadonlySet<string>
  uses: number
}

/**
 * Keeps pods off nodes where another pod uses the same disk in a way that excludes sharing, and off every node while
 * another pod uses a claim of theirs that one pod alone may use.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (v1.36)
 */
export const volumeRestrictions: EnginePlugin = {
  name: 'VolumeRestrictions',
  preFilter: (pod, _candidates, context) => preFilter(pod, context),
  filter,
  addPod: (_pod, added, _row, context) => count(added, 1, context),
  removePod: (_pod, removed, _row, context) => count(removed, -1, context),
}

function isExclusiveKind(volume: Volume): boolean {
  const { gcePersistentDisk, awsElasticBlockStore, rbd, iscsi } = volume
  return gcePersistentDisk != null || awsElasticBlockStore != null || rbd != null || iscsi != null
}

function preFilter(pod: Pod, { cluster, state }: EngineContext): PreFilterResult {
  const names = new Set<string>()
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim == null) continue
    const { claimName } = persistentVolumeClaim
    const claim = findClaim(cluster.objects, pod, claimName)
    if (claim === undefined) {
      return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: [claimNotFound(claimName)] }
    }
    if (claim.spec.accessModes?.includes('ReadWriteOncePod') === true) names.add(claimName)
  }
  const claims: ExclusiveClaims = { names, uses: names.size === 0 ? 0 : claimsInUse(pod, names, cluster) }
  if (claims.uses === 0 && !(pod.spec.volumes ?? []).some(isExclusiveKind)) return { kind: 'skip' }
  state.set(STATE, claims)
  return undefined
}

/** How many of the claims some pod on a known node uses. */
function claimsInUse({ metadata }: Pod, names: ReadonlySet<string>, cluster: EngineContext['cluster']): number {
  const used = new Set<string>()
  for (const row of cluster.rows.liveRows()) {
    for (const other of cluster.podsOn(row)) {
      for (const { persistentVolumeClaim } of other.spec.volumes ?? []) {
        if (persistentVolumeClaim == null || !names.has(persistentVolumeClaim.claimName)) continue
        if (other.metadata.namespace === metadata.namespace) used.add(persistentVolumeClaim.claimName)
      }
    }
  }
  return used.size
}

/** As upstream, a pod of another namespace counts too if its claim has the same name. */
function count(other: Pod, sign: 1 | -1, { state }: EngineContext): void {
  const claims = state.get(STATE) as ExclusiveClaims | undefined
  if (claims === undefined) return
  for (const { persistentVolumeClaim } of other.spec.volumes ?? []) {
    if (persistentVolumeClaim != null && claims.names.has(persistentVolumeClaim.claimName)) claims.uses += sign
  }
}

function filter(
  pod: Pod,
  { rows, count: rowCount }: Candidates,
  output: EngineFilterOutput,
  context: EngineContext,
): void {
  const { cluster, state } = context
  const isInUse = (state.get(STATE) as ExclusiveClaims).uses > 0
  const wanted = wantedDisks(pod)
  for (let i = 0; i < rowCount; i++) {
    const others = wanted.size === 0 ? [] : cluster.podsOn(rows[i] ?? 0)
    const isTaken = others.some(({ spec }) => spec.volumes?.some((used) => isConflict(used, wanted)))
    if (isTaken) output.rejectShared(i, StatusCode.Unschedulable, DISK_CONFLICT)
    else if (isInUse) output.rejectShared(i, StatusCode.Unschedulable, CLAIM_IN_USE)
  }
}

/** A disk in words that no other has, and whether the volume keeps others from reading it. */
type Disk = readonly [key: string, isWritten: boolean]

/**
 * The disks behind a volume; of an RBD image one for each monitor, since images are told apart by pool, name and any
 * monitor in common. An absent name is an empty one.
 */
function disksOf({ gcePersistentDisk: gce, awsElasticBlockStore: ebs, iscsi, rbd }: Volume): readonly Disk[] {
  const disks: Disk[] = []
  if (gce != null) disks.push([`gce\0${gce.pdName ?? ''}`, gce.readOnly !== true])
  // An EBS volume cannot even be read in two places.
  if (ebs != null) disks.push([`ebs\0${ebs.volumeID ?? ''}`, true])
  if (iscsi != null) disks.push([`iscsi\0${iscsi.iqn ?? ''}`, iscsi.readOnly !== true])
  for (const monitor of rbd?.monitors ?? []) {
    disks.push([`rbd\0${rbd?.pool ?? ''}\0${rbd?.image ?? ''}\0${monitor}`, rbd?.readOnly !== true])
  }
  return disks
}

/** The disks of the pod's volumes -> whether one of the volumes writes. */
function wantedDisks(pod: Pod): ReadonlyMap<string, boolean> {
  const wanted = new Map<string, boolean>()
  for (const volume of pod.spec.volumes ?? []) {
    for (const [key, isWritten] of disksOf(volume)) wanted.set(key, isWritten || wanted.get(key) === true)
  }
  return wanted
}

/** Whether the volume is one of the disks, and one of both writes. */
function isConflict(used: Volume, wanted: ReadonlyMap<string, boolean>): boolean {
  if (!isExclusiveKind(used)) return false
  return disksOf(used).some(([key, isWritten]) => {
    const isWrittenHere = wanted.get(key)
    return isWrittenHere === true || (isWrittenHere === false && isWritten)
  })
}
