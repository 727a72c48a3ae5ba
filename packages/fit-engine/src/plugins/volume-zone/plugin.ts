import type { ClusterObjectsReader, PersistentVolumeClaim } from '@berth/types'
import { type Candidates, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { claimStorageClass, claimNotFoundReason, findClaim } from '../volume-claims/claim.ts'
import { isInZones, type VolumeZone, zonesOf } from './zones.ts'
import { volumeZoneTopics } from './hint.ts'

const NO_ZONE = ['node(s) had no available volume zone'] as const
const STATE = 'zones'

/** The zones of a claim's volume, or why the pod cannot use the claim. */
type ClaimZones =
  | { readonly kind: 'zones'; readonly zones: readonly VolumeZone[] }
  | { readonly kind: 'missing'; readonly reason: string }

/**
 * Rejects nodes outside the zones and regions in the labels of the pod's volumes. Nodes without such labels accept any
 * volume.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumezone/volume_zone.go (v1.36)
 */
export const volumeZone: EnginePlugin = {
  name: 'VolumeZone',
  eventTopics: volumeZoneTopics,
  preFilter: (pod, _candidates, context) => preFilter(pod, context),
  filter,
}

const missing = (reason: string): ClaimZones => ({ kind: 'missing', reason })

function preFilter(pod: Pod, { cluster: { objects }, state }: EngineContext): PreFilterResult {
  const zones: VolumeZone[] = []
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim == null) continue
    const found = zonesOfClaim(objects, pod, persistentVolumeClaim.claimName)
    if (found.kind === 'missing') {
      return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: [found.reason] }
    }
    zones.push(...found.zones)
  }
  if (zones.length === 0) return { kind: 'skip' }
  state.set(STATE, zones)
  return undefined
}

function zonesOfClaim(objects: ClusterObjectsReader, pod: Pod, claimName: string): ClaimZones {
  if (claimName === '') return missing('PersistentVolumeClaim had no name')
  const claim = findClaim(objects, pod, claimName)
  if (claim === undefined) return missing(claimNotFoundReason(claimName))
  const volumeName = claim.spec.volumeName ?? ''
  if (volumeName === '') return zonesOfUnbound(objects, claim)
  const volume = objects.get('persistentVolumes', volumeName)
  if (volume === undefined) return missing(`persistentvolume "${volumeName}" not found`)
  return { kind: 'zones', zones: zonesOf(volume) }
}

/** A claim without a volume may wait for its first consumer; then it has no zone yet. */
function zonesOfUnbound(objects: ClusterObjectsReader, claim: PersistentVolumeClaim): ClaimZones {
  const className = claimStorageClass(claim)
  if (className === '') return missing('PersistentVolumeClaim had no pv name and storageClass name')
  const storageClass = objects.get('storageClasses', className)
  if (storageClass === undefined) return missing(`storageclass.storage.k8s.io "${className}" not found`)
  const { volumeBindingMode } = storageClass
  if (volumeBindingMode == null) return missing(`VolumeBindingMode not set for StorageClass "${className}"`)
  if (volumeBindingMode === 'WaitForFirstConsumer') return { kind: 'zones', zones: [] }
  return missing('PersistentVolume had no name')
}

function filter(_pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, context: EngineContext): void {
  const zones = context.state.get(STATE) as readonly VolumeZone[]
  for (let i = 0; i < count; i++) {
    if (isInZones(context.cluster.node(rows[i] ?? 0), zones)) continue
    output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, NO_ZONE)
  }
}
