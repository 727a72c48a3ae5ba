import type { ClusterSnapshot } from '@berth/cluster-view'
import { annotateForBinding, assumeVolumes, type ClusterState, decide, withRequest } from '@berth/fit-engine'
import { isBound, isTerminal } from '@berth/resources'
import type { Clock, Node, Pod, Random } from '@berth/types'
import { CommandError, UsageError } from '../errors.ts'
import { controllerOf } from '../explain/controller-of.ts'
import { heldBack } from '../profile/held-back.ts'
import type { Profiles } from '../profile/load-profiles.ts'
import type { Changes } from './changes.ts'

/** Where one pod is, and where it would be. */
export interface PodOutcome {
  readonly namespace: string
  readonly name: string
  /** Its node; undefined while it is pending. */
  readonly nodeNow: string | undefined
  /** Whether it is pending although it fits without the change: it is only waiting for its scheduler. */
  readonly fitsNow: boolean
  /** The node after the change; undefined when it would be pending, or deleted. */
  readonly nodeAfter: string | undefined
  /** Why it has no node after the change; empty when it has one. */
  readonly message: string
}

/** The question about a cluster. */
export interface WhatIf {
  readonly snapshot: Pick<ClusterSnapshot, 'state' | 'nodes' | 'pods'>
  readonly changes: Changes
  /** Namespace of the pod whose requests change. */
  readonly namespace: string
  readonly profiles: Profiles
  readonly clock: Clock
  readonly random: Random
}

/** A pod that needs a node. */
interface Waiting {
  readonly pod: Pod
  readonly nodeNow: string | undefined
}

/**
 * Applies the changes to a fork of the cluster state and places the pods that then need a node, one after the other by
 * priority and age, each on its best node.
 *
 * @returns Pending pods and pods that lose their node. Others are not affected.
 * @throws CommandError BERTH_KUBECTL_NOT_FOUND for an unknown node or pod, BERTH_KUBECTL_JUDGE when a plugin failed;
 * UsageError BERTH_KUBECTL_USAGE for requests that the pod cannot have.
 */
export function tryChanges(question: WhatIf): readonly PodOutcome[] {
  const { snapshot } = question
  const pending = snapshot.pods.filter(needsNode).map((pod): Waiting => ({ pod, nodeNow: undefined }))
  const fitNow = new Map(place(question, snapshot.state.fork(), pending).map(({ pod, nodeAfter }) => [pod, nodeAfter]))

  const state = snapshot.state.fork()
  const displaced = applyChanges(question, state)
  const changedPod = displaced.find(({ original }) => original !== undefined)?.original
  const waiting = [...pending.filter(({ pod }) => pod !== changedPod), ...displaced]
  const lost = waiting.filter(({ pod, nodeNow }) => nodeNow !== undefined && isLost(question, pod))
  const placed = place(
    question,
    state,
    waiting.filter((one) => !lost.includes(one)),
  )
  return [
    ...placed.map(({ pod, nodeNow, nodeAfter, message }) =>
      outcome(pod, { nodeNow, fitsNow: fitNow.get(pod) !== undefined, nodeAfter, message }),
    ),
    ...lost.map(({ pod, nodeNow }) =>
      outcome(pod, {
        nodeNow,
        fitsNow: false,
        nodeAfter: undefined,
        message: 'it is deleted: no controller recreates it',
      }),
    ),
  ]
}

function outcome(pod: Pod, rest: Omit<PodOutcome, 'namespace' | 'name'>): PodOutcome {
  return { namespace: pod.metadata.namespace ?? 'default', name: pod.metadata.name ?? '', ...rest }
}

function needsNode(pod: Pod): boolean {
  return !isBound(pod) && !isTerminal(pod) && (pod.spec.schedulingGates ?? []).length === 0
}

/** A pod with changed requests is recreated by the user. */
function isLost({ changes, namespace }: WhatIf, { metadata }: Pod): boolean {
  const isChanged = metadata.name === changes.requests?.name && (metadata.namespace ?? 'default') === namespace
  return !isChanged && controllerOf(metadata.ownerReferences) === undefined
}

/** Returns the pods that the changes take from their node, or change. `original` is a pod before its requests changed. */
function applyChanges(question: WhatIf, state: ClusterState): readonly (Waiting & { readonly original?: Pod })[] {
  const { changes, snapshot, namespace } = question
  for (const [name, count] of changes.addedNodes) {
    const node = nodeOf(question, name)
    for (let copy = 1; copy <= count; copy++) state.setNode(emptyCopy(node, `${name}-copy-${copy}`))
  }
  const displaced: (Waiting & { readonly original?: Pod })[] = []
  const take = (nodeName: string, isKept: (pod: Pod) => boolean): void => {
    for (const pod of snapshot.pods) {
      if (pod.spec.nodeName !== nodeName || isTerminal(pod) || isKept(pod)) continue
      state.deletePod(pod)
      if (!isNodeBound(pod)) displaced.push({ pod: withoutNode(pod), nodeNow: nodeName })
    }
  }
  for (const name of changes.drainedNodes) {
    const node = nodeOf(question, name)
    take(name, isNodeBound)
    state.setNode({ ...node, spec: { ...node.spec, unschedulable: true } })
  }
  for (const name of changes.removedNodes) {
    nodeOf(question, name)
    take(name, () => false)
    state.deleteNode(name)
  }
  if (changes.requests === undefined) return displaced
  const { name, amounts } = changes.requests
  const original = snapshot.pods.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
  )
  if (original === undefined) throw notFound(`pod ${namespace}/${name}`)
  const changed = withRequest(original, amounts)
  if (changed === undefined) {
    throw new UsageError(
      `change the requests of pod ${namespace}/${name}: its overhead or its other containers need more`,
      'Give larger amounts.',
    )
  }
  state.deletePod(original)
  const others = displaced.filter(({ pod }) => pod.metadata.uid !== original.metadata.uid)
  return [...others, { pod: withoutNode(changed), nodeNow: original.spec.nodeName, original }]
}

function nodeOf({ snapshot }: WhatIf, name: string): Node {
  const node = snapshot.nodes.get(name)
  if (node === undefined) throw notFound(`node ${name}`)
  return node
}

function notFound(object: string): CommandError {
  return new CommandError(`try a change of ${object}: not found`, { code: 'BERTH_KUBECTL_NOT_FOUND' })
}

/** The kubelet sets the hostname label to the name of the node. */
function emptyCopy(node: Node, name: string): Node {
  const labels = { ...node.metadata.labels, 'kubernetes.io/hostname': name }
  const { unschedulable: _cordoned, ...spec } = node.spec ?? {}
  return { ...node, metadata: { ...node.metadata, name, uid: name, labels }, spec }
}

function withoutNode(pod: Pod): Pod {
  const { nodeName: _node, ...spec } = pod.spec
  return { ...pod, spec }
}

/** Whether the pod belongs to its node: a mirror pod, or a pod of a DaemonSet. */
function isNodeBound({ metadata }: Pod): boolean {
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
  return isMirror || (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet')
}

interface Placed extends Waiting {
  readonly nodeAfter: string | undefined
  readonly message: string
}

function place(
  { profiles, clock, random }: WhatIf,
  state: ClusterState,
  waiting: readonly Waiting[],
): readonly Placed[] {
  return waiting.toSorted(queueOrder).map((one) => {
    const profile = profiles.profileOf(one.pod)
    const { framework } = profile
    const hold = heldBack(profile, one.pod)
    if (hold !== undefined) return { ...one, nodeAfter: undefined, message: hold }
    const input = { nowMs: clock.now(), random }
    const decision = decide(framework, state, one.pod, { ...input, rejections: 'when-none-fits' })
    if (decision.error !== undefined) {
      const { plugin, message, cause } = decision.error
      const name = one.pod.metadata.name ?? ''
      throw new CommandError(`place pod ${name}: plugin ${plugin} failed: ${message}`, {
        code: 'BERTH_KUBECTL_JUDGE',
        cause,
      })
    }
    const nodeAfter = decision.pickBest(random)
    if (nodeAfter !== undefined) {
      assumeVolumes(state, one.pod, nodeAfter)
      state.assume(annotateForBinding(framework, state, one.pod, nodeAfter, input).pod, nodeAfter)
    }
    return { ...one, nodeAfter, message: decision.message }
  })
}

/** Orders as the scheduling queue does: by priority, then by age. A recreated pod is younger than every pending one. */
function queueOrder(a: Waiting, b: Waiting): number {
  const byPriority = (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0)
  if (byPriority !== 0) return byPriority
  if ((a.nodeNow === undefined) !== (b.nodeNow === undefined)) return a.nodeNow === undefined ? -1 : 1
  const [first = '', second = ''] = [a, b].map(({ pod }) => pod.metadata.creationTimestamp ?? '')
  return first < second ? -1 : first > second ? 1 : 0
}
