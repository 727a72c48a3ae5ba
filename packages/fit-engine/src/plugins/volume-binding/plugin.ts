import type { ClusterObjectsReader, CsiNode, Node, PersistentVolumeClaim } from '@berth/types'
import { type Candidates, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { SkippedObjects } from './skipped-objects.ts'
import { podClaims } from './pod-claims.ts'
import { type WaitingClaimsCheck, createWaitingClaimsCheck } from './waiting-claims.ts'
import { type Reach, createReachCheck } from './volume-affinity.ts'
import { volumeBindingTopics } from './hint.ts'

const UNBOUND_IMMEDIATE = ['pod has unbound immediate PersistentVolumeClaims'] as const
const OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
const NO_VOLUME_TO_BIND = "node(s) didn't find available persistent volumes to bind"
const NO_SPACE = 'node(s) did not have enough free storage'
const MISSING_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'
const STATE = 'volumes'

/** Prepared checks that the filter runs on each node. */
interface VolumeChecks {
  /** One check for each bound claim; `missing` when its volume does not exist. */
  readonly bound: readonly ('missing' | ((node: Node, csiNode: CsiNode | undefined) => Reach))[]
  readonly waiting: WaitingClaimsCheck
  /** Reported in addition to the reasons of a node without a suitable volume. */
  readonly skipped: SkippedObjects
}

/**
 * Rejects nodes that cannot reach the pod's bound volumes, and nodes where no volume exists or can be provisioned for a
 * claim that waits for its first consumer. The host binds the volumes of the chosen node: see `planVolumes`. As with
 * kube-scheduler's defaults, volumes do not change scores: its gate StorageCapacityScoring is off.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (v1.36)
 */
export const volumeBinding: EnginePlugin = {
  name: 'VolumeBinding',
  eventTopics: volumeBindingTopics,
  preFilter: (pod, _candidates, context) => preFilter(pod, context),
  filter,
}

function preFilter(pod: Pod, { cluster: { objects }, state }: EngineContext): PreFilterResult {
  const claims = podClaims(pod, objects)
  switch (claims.kind) {
    case 'none':
      return { kind: 'skip' }
    case 'illegal':
      return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: [claims.reason] }
    case 'error':
      return { kind: 'reject', code: StatusCode.Error, reasons: [claims.reason] }
    case 'claims': {
      if (claims.unboundImmediate.length > 0) {
        return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: UNBOUND_IMMEDIATE }
      }
      const bound = claims.bound.map((claim) => boundClaimCheck(claim, objects))
      const skipped = new SkippedObjects()
      const volumes: VolumeChecks = {
        bound,
        waiting: createWaitingClaimsCheck(claims.waiting, objects, skipped),
        skipped,
      }
      state.set(STATE, volumes)
      return undefined
    }
  }
}

function boundClaimCheck(
  { spec }: PersistentVolumeClaim,
  objects: ClusterObjectsReader,
): VolumeChecks['bound'][number] {
  const volume = objects.get('persistentVolumes', spec.volumeName ?? '')
  return volume === undefined ? 'missing' : createReachCheck(volume)
}

/** Returns the result of the first bound volume that the node cannot use, or `reachable`. */
function boundReach({ bound }: VolumeChecks, node: Node, csiNode: CsiNode | undefined): Reach | 'missing' {
  for (const check of bound) {
    const reach = check === 'missing' ? check : check(node, csiNode)
    if (reach !== 'reachable') return reach
  }
  return 'reachable'
}

function filter(_pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, context: EngineContext): void {
  const { cluster, state } = context
  const volumes = state.get(STATE) as VolumeChecks
  for (let i = 0; i < count; i++) {
    const node = cluster.node(rows[i] ?? 0)
    const reach = boundReach(volumes, node, cluster.objects.get('csiNodes', node.metadata.name ?? ''))
    if (typeof reach !== 'string') {
      output.reject(i, StatusCode.Error, reach.reason)
      continue
    }
    const outcome = volumes.waiting(node)
    if (typeof outcome !== 'string' && outcome.kind === 'error') {
      output.reject(i, StatusCode.Error, outcome.reason)
      continue
    }
    const reasons = [
      ...(reach === 'out-of-reach' ? [OUT_OF_REACH] : []),
      ...(outcome === 'none' ? [NO_VOLUME_TO_BIND] : []),
      ...(outcome === 'no-space' ? [NO_SPACE] : []),
      ...(reach === 'missing' ? [MISSING_VOLUME] : []),
    ]
    const skippedReason = typeof outcome !== 'string' ? undefined : volumes.skipped.reason
    if (skippedReason !== undefined) reasons.push(skippedReason)
    if (reasons.length > 0) output.reject(i, StatusCode.UnschedulableAndUnresolvable, ...reasons)
  }
}
