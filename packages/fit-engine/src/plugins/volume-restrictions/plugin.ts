import { type Candidates, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { claimNotFoundReason, findClaim } from '../volume-claims/claim.ts'
import { diskCauses } from './causes.ts'
import { isConflict, isExclusiveKind, requestedDisks } from './disks.ts'
import { volumeRestrictionsTopics } from './hint.ts'

const DISK_CONFLICT = ['node(s) had no available disk'] as const
const CLAIM_IN_USE = [
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
] as const
const STATE = 'exclusive-claims'

/** The pod's ReadWriteOncePod claims, and the number of uses by other pods. */
interface ExclusiveClaims {
  readonly names: ReadonlySet<string>
  uses: number
}

/**
 * Rejects nodes where another pod uses the same disk in a way that excludes sharing, and every node while another pod
 * uses a ReadWriteOncePod claim of the pod.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (v1.36)
 */
export const volumeRestrictions: EnginePlugin = {
  name: 'VolumeRestrictions',
  eventTopics: volumeRestrictionsTopics,
  preFilter: (pod, _candidates, context) => preFilter(pod, context),
  filter,
  causes: (pod, cluster) => diskCauses(pod, exclusiveClaims(pod, cluster), cluster),
  addPod: (_pod, added, _row, context) => adjustUses(added, 1, context),
  removePod: (_pod, removed, _row, context) => adjustUses(removed, -1, context),
}

/** Returns the pod's claims that only one pod may use at a time; claims that do not exist are not among them. */
function exclusiveClaims(pod: Pod, { objects }: EngineContext['cluster']): ReadonlySet<string> {
  const names = (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
  return new Set(
    names.filter((name) => findClaim(objects, pod, name)?.spec.accessModes?.includes('ReadWriteOncePod') === true),
  )
}

function preFilter(pod: Pod, { cluster, state }: EngineContext): PreFilterResult {
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim == null) continue
    const { claimName } = persistentVolumeClaim
    if (findClaim(cluster.objects, pod, claimName) === undefined) {
      return {
        kind: 'reject',
        code: StatusCode.UnschedulableAndUnresolvable,
        reasons: [claimNotFoundReason(claimName)],
      }
    }
  }
  const names = exclusiveClaims(pod, cluster)
  const claims: ExclusiveClaims = { names, uses: names.size === 0 ? 0 : claimsInUse(pod, names, cluster) }
  if (claims.uses === 0 && !(pod.spec.volumes ?? []).some(isExclusiveKind)) return { kind: 'skip' }
  state.set(STATE, claims)
  return undefined
}

/** Returns the number of the claims that pods on known nodes use. */
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
function adjustUses(other: Pod, sign: 1 | -1, { state }: EngineContext): void {
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
  const requested = requestedDisks(pod)
  for (let i = 0; i < rowCount; i++) {
    const others = requested.size === 0 ? [] : cluster.podsOn(rows[i] ?? 0)
    const isTaken = others.some(({ spec }) => spec.volumes?.some((used) => isConflict(used, requested)))
    if (isTaken) output.rejectShared(i, StatusCode.Unschedulable, DISK_CONFLICT)
    else if (isInUse) output.rejectShared(i, StatusCode.Unschedulable, CLAIM_IN_USE)
  }
}
