import { annotateForBinding, assumeVolumes, type ClusterState, decide } from '@berth/fit-engine'
import { isBound, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { CommandError } from '../errors.ts'
import { controllerOf } from '../explain/controller-of.ts'
import { evaluablePod } from '../explain/evaluable-pod.ts'
import { heldBack } from '../profile/held-back.ts'
import { applyChanges } from './apply-changes.ts'
import { startDrain } from './drain-nodes.ts'
import type { WaitingPod } from './waiting-pod.ts'
import type { WhatIf } from './what-if.ts'

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
  /** Why it has no node after the change, or stays on a drained one; empty otherwise. */
  readonly message: string
  /** The PodDisruptionBudgets that keep it on a drained node, as `namespace/name`. */
  readonly blockedBy: readonly string[]
}

/**
 * Applies the changes to a fork of the cluster state and places the pods that then need a node, one after the other by
 * priority and age, each on its best node. A drain evicts what disruption budgets allow, and more when the replacements of the
 * evicted pods have nodes.
 *
 * @returns Pending pods, pods that lose their node, and pods that a drain cannot evict. Others are not affected.
 * @throws CommandError BERTH_KUBECTL_JUDGE when a plugin failed, and what {@link applyChanges} throws.
 */
export function tryChanges(question: WhatIf): readonly PodOutcome[] {
  const { snapshot } = question
  const pending = snapshot.pods.filter(needsNode)
  const fitNow = new Set(
    place(question, snapshot.state.fork(), pending.map(pendingPod))
      .filter(({ nodeAfter }) => nodeAfter !== undefined)
      .map(({ pod }) => pod),
  )
  const state = snapshot.state.fork()
  const { displaced, handled } = applyChanges(question, state)
  const drain = startDrain(question, state, handled)
  const placed: Placed[] = []
  const lost: WaitingPod[] = []
  let unplaced: readonly Placed[] = []
  let arriving = [...pending.filter((pod) => !handled.has(pod)).map(pendingPod), ...displaced, ...drain.evict()]
  do {
    lost.push(...arriving.filter(isLost))
    const round = place(question, state, [...unplaced, ...arriving.filter((one) => !isLost(one))])
    for (const one of round.filter(({ nodeAfter }) => nodeAfter !== undefined)) {
      placed.push(one)
      drain.replaced(one.pod)
    }
    unplaced = round.filter(({ nodeAfter }) => nodeAfter === undefined)
    arriving = [...drain.evict()]
  } while (arriving.length > 0)
  return [
    ...[...placed, ...unplaced]
      .toSorted(queueOrder)
      .map(({ pod, ...rest }) => outcome(pod, { ...rest, fitsNow: fitNow.has(pod) })),
    ...lost.map(({ pod, nodeNow }) => outcome(pod, { nodeNow, message: 'it is deleted: no controller recreates it' })),
    ...drain.blocked().map(({ pod, sentence, budgets }) => {
      const { nodeName } = pod.spec
      return outcome(pod, {
        nodeNow: nodeName,
        nodeAfter: nodeName,
        message: `it stays: ${sentence}`,
        blockedBy: budgets,
      })
    }),
  ]
}

function outcome(
  { metadata }: Pod,
  { nodeNow, fitsNow = false, nodeAfter, message = '', blockedBy = [] }: Partial<PodOutcome>,
): PodOutcome {
  const { namespace = 'default', name = '' } = metadata
  return { namespace, name, nodeNow, fitsNow, nodeAfter, message, blockedBy }
}

function needsNode(pod: Pod): boolean {
  return !isBound(pod) && !isTerminal(pod) && (pod.spec.schedulingGates ?? []).length === 0
}

function pendingPod(pod: Pod): WaitingPod {
  return { pod, nodeNow: undefined, isChanged: false }
}

/** Whether a pod is deleted instead of being recreated. */
function isLost({ pod, nodeNow, isChanged }: WaitingPod): boolean {
  return nodeNow !== undefined && !isChanged && controllerOf(pod.metadata.ownerReferences) === undefined
}

interface Placed extends WaitingPod {
  readonly nodeAfter: string | undefined
  readonly message: string
}

function place(
  { profiles, snapshot, clock, random }: WhatIf,
  state: ClusterState,
  waiting: readonly WaitingPod[],
): readonly Placed[] {
  return waiting.toSorted(queueOrder).map((one) => {
    const profile = profiles.profileOf(one.pod)
    const { framework } = profile
    const hold = heldBack(profile, one.pod)
    if (hold !== undefined) return { ...one, nodeAfter: undefined, message: hold }
    const input = { nowMs: clock.now(), random }
    const { pod: evaluable } = evaluablePod(one.pod, snapshot)
    const decision = decide(framework, state, evaluable, { ...input, rejections: 'when-none-fits' })
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
      assumeVolumes(state, evaluable, nodeAfter)
      state.assume(annotateForBinding(framework, state, evaluable, nodeAfter, input).pod, nodeAfter)
    }
    return { ...one, nodeAfter, message: decision.message }
  })
}

/** Orders as the scheduling queue does: by priority, then by age. A recreated pod is younger than every pending one. */
function queueOrder(a: WaitingPod, b: WaitingPod): number {
  const byPriority = (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0)
  if (byPriority !== 0) return byPriority
  if ((a.nodeNow === undefined) !== (b.nodeNow === undefined)) return a.nodeNow === undefined ? -1 : 1
  const [first = '', second = ''] = [a, b].map(({ pod }) => pod.metadata.creationTimestamp ?? '')
  return first < second ? -1 : first > second ? 1 : 0
}
