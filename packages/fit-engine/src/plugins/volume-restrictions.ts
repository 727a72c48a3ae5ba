import { type Candidates, type Pod, type PreFilterResult, StatusCode, type Volume } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../framework/engine-plugin.ts'
import { claimNotFound, findClaim } from '../volumes/claim.ts'

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
  for (const row of cluster.rows.live()) {
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
  const disks = (pod.spec.volumes ?? []).filter(isExclusiveKind)
  for (let i = 0; i < rowCount; i++) {
    const others = disks.length === 0 ? [] : cluster.podsOn(rows[i] ?? 0)
    const isTaken = others.some(({ spec }) => spec.volumes?.some((used) => disks.some((disk) => conflict(disk, used))))
    if (isTaken) output.rejectShared(i, StatusCode.Unschedulable, DISK_CONFLICT)
    else if (isInUse) output.rejectShared(i, StatusCode.Unschedulable, CLAIM_IN_USE)
  }
}

/** Whether two volumes are the same disk and cannot be in use together. */
function conflict(a: Volume, b: Volume): boolean {
  return (
    isShared(a.gcePersistentDisk, b.gcePersistentDisk, ({ pdName }, used) => isSame(pdName, used.pdName)) ||
    isSameEbsVolume(a.awsElasticBlockStore, b.awsElasticBlockStore) ||
    isShared(a.iscsi, b.iscsi, ({ iqn }, used) => isSame(iqn, used.iqn)) ||
    isShared(a.rbd, b.rbd, isSameImage)
  )
}

/** The sources are there, are the same, and at least one of them writes. */
function isShared<T extends { readonly readOnly?: boolean }>(
  a: T | null | undefined,
  b: T | null | undefined,
  isSameDisk: (a: T, b: T) => boolean,
): boolean {
  return a != null && b != null && isSameDisk(a, b) && !(a.readOnly === true && b.readOnly === true)
}

/** An absent name is an empty one. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  return (a ?? '') === (b ?? '')
}

type EbsVolume = Volume['awsElasticBlockStore']

/** An EBS volume cannot even be read in two places. */
function isSameEbsVolume(a: EbsVolume, b: EbsVolume): boolean {
  return a != null && b != null && isSame(a.volumeID, b.volumeID)
}

type RbdImage = NonNullable<Volume['rbd']>

function isSameImage(a: RbdImage, b: RbdImage): boolean {
  const sharesMonitor = a.monitors?.some((monitor) => b.monitors?.includes(monitor) === true) === true
  return sharesMonitor && isSame(a.pool, b.pool) && isSame(a.image, b.image)
}
