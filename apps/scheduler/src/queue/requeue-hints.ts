import { isDeepStrictEqual } from 'node:util'
import type { ClusterChange } from '@berth/cluster-view'
import { boundPodRequest, podRequest, resourceAmounts } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { QueuedPodInfo } from './queued-pod.ts'
import { attachableVolumes, claimsAndVolumes, exclusiveVolumes, isOwnClaim, zonedVolumes } from './volume-hints.ts'
import { type Hint, type WakingEvent, wakingEvent } from './waking-event.ts'

/** The rejector that stands for every extender, as in kube-scheduler. */
export const EXTENDER_REJECTOR = 'Extender'

/** The rejector of pods that use what is not implemented; see what wakes them in `servable`. */
export const UNSUPPORTED_REJECTOR = 'UnsupportedFeatures'

/** Whether the pod would fit the node if nothing else ran there; only the resources are looked at. */
function fitsEmpty(pod: Pod, allocatable: ReadonlyMap<string, bigint>): boolean {
  for (const [name, units] of requestedUnits(pod)) if (units > (allocatable.get(name) ?? 0n)) return false
  return true
}

function requestedUnits(pod: Pod): ReadonlyMap<string, bigint> {
  const { milliCpu, memory, ephemeralStorage, scalar } = podRequest(pod)
  return nonZero([['cpu', milliCpu], ['memory', memory], ['ephemeral-storage', ephemeralStorage], ...scalar])
}

function heldUnits(pod: Pod): ReadonlyMap<string, bigint> {
  const { milliCpu, memory, ephemeralStorage, scalar } = boundPodRequest(pod)
  return new Map([['cpu', milliCpu], ['memory', memory], ['ephemeral-storage', ephemeralStorage], ...scalar])
}

function nonZero(entries: readonly (readonly [string, bigint])[]): ReadonlyMap<string, bigint> {
  return new Map(entries.filter(([, units]) => units > 0n))
}

/** As kube-scheduler's NodeResourcesFit (v1.36): more room on a node, a pod that left, a pod that shrank. */
const moreRoom: Hint = (pod, event) => {
  switch (event.kind) {
    case 'pod-left':
      return true
    case 'pod-changed': {
      if (event.old.spec === event.pod.spec && event.old.status === event.pod.status) return false
      const before = heldUnits(event.old)
      const after = heldUnits(event.pod)
      return [...requestedUnits(pod).keys()].some((name) => (after.get(name) ?? 0n) < (before.get(name) ?? 0n))
    }
    case 'node-added':
      return fitsEmpty(pod, resourceAmounts(event.node.status?.allocatable))
    case 'node-changed': {
      if (isDeepStrictEqual(event.old.status?.allocatable, event.node.status?.allocatable)) return false
      const before = resourceAmounts(event.old.status?.allocatable)
      const after = resourceAmounts(event.node.status?.allocatable)
      const grew = (name: string): boolean => (after.get(name) ?? 0n) > (before.get(name) ?? 0n)
      return fitsEmpty(pod, after) && (grew('pods') || [...requestedUnits(pod).keys()].some(grew))
    }
    case 'pod-assigned':
    case 'node-deleted':
    case 'object':
      return false
  }
}

const nodeLabels = (event: WakingEvent): boolean =>
  event.kind === 'node-added' ||
  (event.kind === 'node-changed' && !isDeepStrictEqual(event.old.metadata.labels, event.node.metadata.labels))

const nodeTaints = (event: WakingEvent): boolean =>
  event.kind === 'node-added' ||
  (event.kind === 'node-changed' &&
    (!isDeepStrictEqual(event.old.spec?.taints, event.node.spec?.taints) ||
      event.old.spec?.unschedulable !== event.node.spec?.unschedulable))

const declaredFeatures = (event: WakingEvent): boolean =>
  event.kind === 'node-added' ||
  (event.kind === 'node-changed' &&
    !isDeepStrictEqual(event.old.status?.declaredFeatures, event.node.status?.declaredFeatures))

const podPlacement = (event: WakingEvent): boolean =>
  event.kind === 'pod-assigned' ||
  event.kind === 'pod-left' ||
  (event.kind === 'pod-changed' && !isDeepStrictEqual(event.old.metadata.labels, event.pod.metadata.labels))

/** Selectors of namespaces may match now. */
const namespaceLabels = (event: WakingEvent): boolean =>
  event.kind === 'object' && event.change.resource === 'namespaces' && event.change.kind !== 'object-deleted'

/** A claim may be bound now, a node may offer what a DeviceClass backs, or the class may be gone. */
const servable: Hint = (pod, event) =>
  isOwnClaim(pod, event) ||
  ((event.kind === 'node-added' || event.kind === 'node-changed') && moreRoom(pod, event)) ||
  (event.kind === 'object' && event.change.resource === 'deviceClasses')

const hints: ReadonlyMap<string, Hint> = new Map<string, Hint>([
  [UNSUPPORTED_REJECTOR, servable],
  ['NodeResourcesFit', moreRoom],
  ['NodeUnschedulable', (_pod, event) => nodeTaints(event)],
  ['TaintToleration', (_pod, event) => nodeTaints(event)],
  ['NodeAffinity', (_pod, event) => nodeLabels(event)],
  ['NodePorts', (_pod, event) => event.kind === 'pod-left' || event.kind === 'node-added'],
  [
    'PodTopologySpread',
    (_pod, event) => podPlacement(event) || nodeLabels(event) || nodeTaints(event) || event.kind === 'node-deleted',
  ],
  ['InterPodAffinity', (_pod, event) => podPlacement(event) || nodeLabels(event) || namespaceLabels(event)],
  ['VolumeBinding', (pod, event) => claimsAndVolumes(pod, event) || nodeLabels(event)],
  ['VolumeRestrictions', exclusiveVolumes],
  ['VolumeZone', (pod, event) => zonedVolumes(pod, event) || nodeLabels(event)],
  ['NodeVolumeLimits', attachableVolumes],
  ['NodeDeclaredFeatures', (_pod, event) => declaredFeatures(event)],
])

/**
 * Answers whether a change may make room for a parked pod: only the hints of the plugins that turned it away
 * are asked. A plugin without a hint, and {@link EXTENDER_REJECTOR}, is helped by every change.
 */
export function wakes(info: QueuedPodInfo, change: ClusterChange): boolean {
  const event = wakingEvent(change)
  if (event === undefined) return false
  for (const rejector of info.rejectors) {
    const hint = hints.get(rejector)
    if (hint === undefined || hint(info.pod, event)) return true
  }
  return false
}
