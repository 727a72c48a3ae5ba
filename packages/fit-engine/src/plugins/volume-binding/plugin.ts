import type { ClusterObjectsReader, CsiNode, Node, PersistentVolumeClaim } from '@berth/types'
import { type Candidates, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { Omissions } from './omissions.ts'
import { podClaims } from './pod-claims.ts'
import { type WaitingVolumes, waitingVolumes } from './waiting-volumes.ts'
import { type Reach, volumeReach } from './volume-affinity.ts'

const UNBOUND_IMMEDIATE = ['pod has unbound immediate PersistentVolumeClaims'] as const
const OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
const NO_SPACE = 'node(s) did not have enough free storage'
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'
const STATE = 'volumes'

/** What the filter asks of each node. */
interface PodVolumes {
  /** One question a bound claim; `missing` where its volume does not exist. */
  readonly bound: readonly ('missing' | ((node: Node, csiNode: CsiNode | undefined) => Reach))[]
  readonly waiting: WaitingVolumes
  /** Said beside the reasons of a node for which there is no volume. */
  readonly omissions: Omissions
}

/**
 * Lets pods onto nodes that their bound volumes can be reached from and where volumes for the claims that wait for a
 * node exist or can be made. It binds nothing.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (v1.36)
 */
export const volumeBinding: EnginePlugin = {
  name: 'VolumeBinding',
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
      const bound = claims.bound.map((claim) => boundQuestion(claim, objects))
      const omissions = new Omissions()
      const volumes: PodVolumes = { bound, waiting: waitingVolumes(claims.waiting, objects, omissions), omissions }
      state.set(STATE, volumes)
      return undefined
    }
  }
}

function boundQuestion({ spec }: PersistentVolumeClaim, objects: ClusterObjectsReader): PodVolumes['bound'][number] {
  const volume = objects.get('persistentVolumes', spec.volumeName ?? '')
  return volume === undefined ? 'missing' : volumeReach(volume)
}

/** The first bound volume that keeps the node away decides. */
function boundReach({ bound }: PodVolumes, node: Node, csiNode: CsiNode | undefined): Reach | 'missing' {
  for (const ask of bound) {
    const reach = ask === 'missing' ? ask : ask(node, csiNode)
    if (reach !== 'reachable') return reach
  }
  return 'reachable'
}

function filter(_pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, context: EngineContext): void {
  const { cluster, state } = context
  const volumes = state.get(STATE) as PodVolumes
  for (let i = 0; i < count; i++) {
    const node = cluster.node(rows[i] ?? 0)
    const reach = boundReach(volumes, node, cluster.objects.get('csiNodes', node.metadata.name ?? ''))
    if (typeof reach !== 'string') {
      output.reject(i, StatusCode.Error, reach.reason)
      continue
    }
    const outcome = volumes.waiting(node)
    if (typeof outcome !== 'string') {
      output.reject(i, StatusCode.Error, outcome.reason)
      continue
    }
    const reasons = [
      ...(reach === 'out-of-reach' ? [OUT_OF_REACH] : []),
      ...(outcome === 'none' ? [NOTHING_TO_BIND] : []),
      ...(outcome === 'no-space' ? [NO_SPACE] : []),
      ...(reach === 'missing' ? [NO_VOLUME] : []),
    ]
    const omitted = outcome === 'found' ? undefined : volumes.omissions.reason
    if (omitted !== undefined) reasons.push(omitted)
    if (reasons.length > 0) output.reject(i, StatusCode.UnschedulableAndUnresolvable, ...reasons)
  }
}
