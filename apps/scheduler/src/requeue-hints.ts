import { isDeepStrictEqual } from 'node:util'
import type { ClusterChange } from '@berth/cluster-view'
import { boundPodRequest, isTerminal, podRequest, resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import type { QueuedPodInfo } from './queued-pod.ts'

/** The rejector that stands for every extender, as in kube-scheduler. */
export const EXTENDER_REJECTOR = 'Extender'

/** The rejector of pods that use what is not implemented: only a change of the pod itself helps. */
export const UNSUPPORTED_REJECTOR = 'UnsupportedFeatures'

/** What a change of the cluster is to a waiting pod. */
export type WakingEvent =
  | { readonly kind: 'pod-assigned'; readonly pod: Pod }
  | { readonly kind: 'pod-changed'; readonly old: Pod; readonly pod: Pod }
  /** Deleted or ended: what it held is free. */
  | { readonly kind: 'pod-left'; readonly pod: Pod }
  | { readonly kind: 'node-added'; readonly node: Node }
  | { readonly kind: 'node-changed'; readonly old: Node; readonly node: Node }
  | { readonly kind: 'node-deleted'; readonly node: Node }

/** Answers whether an event may help a pod that one plugin turned away. */
type Hint = (pod: Pod, event: WakingEvent) => boolean

/**
 * Reads a change as a waking event.
 *
 * @returns Undefined for changes that help nobody: those of pods that hold no node.
 */
export function wakingEvent(change: ClusterChange): WakingEvent | undefined {
  switch (change.kind) {
    case 'node-added':
      return { kind: 'node-added', node: change.node }
    case 'node-deleted':
      return { kind: 'node-deleted', node: change.node }
    case 'node-updated':
      return change.old === undefined
        ? { kind: 'node-added', node: change.node }
        : { kind: 'node-changed', old: change.old, node: change.node }
    case 'pod-added':
      return holdsNode(change.pod) ? { kind: 'pod-assigned', pod: change.pod } : undefined
    case 'pod-deleted':
      return holdsNode(change.pod) || isNominated(change.pod) ? { kind: 'pod-left', pod: change.pod } : undefined
    case 'pod-updated': {
      const { pod, old } = change
      const isHolding = holdsNode(pod)
      if (old === undefined || !holdsNode(old)) {
        if (isHolding) return { kind: 'pod-assigned', pod }
        const lostNomination = old !== undefined && isNominated(old) && !isNominated(pod)
        return lostNomination ? { kind: 'pod-left', pod: old } : undefined
      }
      return isHolding ? { kind: 'pod-changed', old, pod } : { kind: 'pod-left', pod: old }
    }
  }
}

function holdsNode(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.spec.nodeName !== '' && !isTerminal(pod)
}

function isNominated(pod: Pod): boolean {
  return (pod.status?.nominatedNodeName ?? '') !== ''
}

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

const podPlacement = (event: WakingEvent): boolean =>
  event.kind === 'pod-assigned' ||
  event.kind === 'pod-left' ||
  (event.kind === 'pod-changed' && !isDeepStrictEqual(event.old.metadata.labels, event.pod.metadata.labels))

/** A volume may be free again, or a node may offer it; claims and volumes themselves are not watched here. */
const volumes: Hint = (_pod, event) =>
  event.kind === 'pod-left' || event.kind === 'node-added' || event.kind === 'node-changed'

const hints: ReadonlyMap<string, Hint> = new Map<string, Hint>([
  [UNSUPPORTED_REJECTOR, () => false],
  ['NodeResourcesFit', moreRoom],
  ['NodeUnschedulable', (_pod, event) => nodeTaints(event)],
  ['TaintToleration', (_pod, event) => nodeTaints(event)],
  ['NodeAffinity', (_pod, event) => nodeLabels(event)],
  ['NodePorts', (_pod, event) => event.kind === 'pod-left' || event.kind === 'node-added'],
  [
    'PodTopologySpread',
    (_pod, event) => podPlacement(event) || nodeLabels(event) || nodeTaints(event) || event.kind === 'node-deleted',
  ],
  ['InterPodAffinity', (_pod, event) => podPlacement(event) || nodeLabels(event)],
  ['VolumeBinding', volumes],
  ['VolumeRestrictions', volumes],
  ['VolumeZone', volumes],
  ['NodeVolumeLimits', volumes],
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
