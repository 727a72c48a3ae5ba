import type { Explanation, Fix, NodeCause, NodeExplanation, ResourceUsage, VolumeFinding } from '@berth/fit-engine'
import { isExtendedResourceName, podRequest } from '@berth/resources'
import type { Pod, Verdict } from '@berth/types'
import type { ProfileSource } from '../profile/load-profiles.ts'
import type { Obstacle } from './observed/find-obstacles.ts'
import type { ObservedStatus } from './observed/observed-status.ts'
import { fixRecipe } from './fix-commands.ts'
import type { FixTarget } from './recipes/fix-recipe.ts'

/** One node of an answer. */
export interface NodeAnswer {
  readonly node: string
  readonly verdict: Verdict['kind']
  /** Sentences as kube-scheduler prints them; empty when the pod fits. */
  readonly reasons: readonly string[]
  /** Requested resources that the node lacks. When the pod fits, every extended resource that it requests. */
  readonly resources: readonly ResourceUsage[]
  /** The label, taint, term or port for which each filter rejects the node; empty when the pod fits. */
  readonly causes: readonly NodeCause[]
  /** Reasons why the volumes and storage classes of the pod's claims do not match the node. */
  readonly volumes: readonly VolumeFinding[]
}

/** One fix of an answer. */
export interface FixAnswer {
  readonly kind: Fix['kind']
  readonly node: string
  readonly cost: number
  readonly sentence: string
  readonly commands: readonly string[]
  readonly note?: string
}

/** The result of `explain`, as `-o json` prints it. */
export interface PodAnswer {
  /** The status of the pod in the API. Absent for a manifest. */
  readonly observed?: ObservedStatus
  /** Why the pod may be pending although it fits. Absent when decision and condition agree. */
  readonly disagreement?: string
  readonly pod: { readonly namespace: string; readonly name: string; readonly nodeName?: string }
  /** Extended resources, whole units. */
  readonly asks: ReadonlyMap<string, bigint>
  readonly fits: boolean
  /** Nodes on which the pod fits. */
  readonly feasible: readonly string[]
  /** The feasible nodes with the highest score. */
  readonly best: readonly string[]
  /** The sentence that kube-scheduler would write; empty when the pod fits. */
  readonly message: string
  /** Sorted: nodes nearest to fitting first. */
  readonly nodes: readonly NodeAnswer[]
  readonly funnel: Explanation['funnel']
  /** Cheapest first. Each was verified on a copy of the cluster. */
  readonly fixes: readonly FixAnswer[]
  /** The plugin whose preEnqueue keeps the pod out of the scheduling queue, and its reasons. Absent when none does. */
  readonly heldBack?: string
  /** Why the pod group waits, or how many of its members fit. Absent for a pod without a group. */
  readonly group?: string
  /** The profile with which the pod was decided. */
  readonly profile?: { readonly source: ProfileSource; readonly sentence: string }
  /**
   * Why the API server would refuse the pod of a manifest, or has none of a workload. Absent when nothing is known, and
   * for a pod of the cluster.
   */
  readonly hindrances?: readonly Obstacle[]
  /** Why no node was evaluated; `nodes` is then empty. Absent when the nodes were evaluated. */
  readonly notEvaluated?: string
  /** Features of the pod that were not evaluated. */
  readonly unsupported: readonly string[]
}

/** Turns the engine's explanation into the answer of `explain`. */
export function podAnswer(explanation: Explanation, target: FixTarget, unsupported: readonly string[]): PodAnswer {
  const { decision } = explanation
  return {
    ...subjectOf(target.pod),
    fits: decision.feasible.length > 0,
    feasible: decision.feasible,
    best: decision.best,
    message: decision.message,
    nodes: explanation.nodes.map(nodeAnswer).toSorted(nearestFirst),
    funnel: explanation.funnel,
    fixes: explanation.fixes.map((fix) => {
      const { kind, node, cost, sentence } = fix
      return { kind, node, cost, sentence, ...fixRecipe(fix, target) }
    }),
    unsupported,
  }
}

/** Returns the answer about a pod for which no node could be evaluated. */
export function unevaluatedAnswer(pod: Pod, notEvaluated: string): PodAnswer {
  const none = { fits: false, feasible: [], best: [], message: '', nodes: [], funnel: [], fixes: [], unsupported: [] }
  return { ...subjectOf(pod), ...none, notEvaluated }
}

function subjectOf(pod: Pod): Pick<PodAnswer, 'pod' | 'asks'> {
  const { namespace = 'default', name = pod.metadata.generateName ?? '' } = pod.metadata
  return {
    pod: { namespace, name, ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }) },
    asks: new Map(
      [...podRequest(pod).scalar]
        .filter(([resourceName, units]) => units > 0n && isExtendedResourceName(resourceName))
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  }
}

function nodeAnswer({ node, verdict, causes, resources, volumes }: NodeExplanation): NodeAnswer {
  const fits = verdict.kind === 'fits'
  return {
    node,
    verdict: verdict.kind,
    reasons: reasonsOf(verdict),
    resources: resources.filter(({ resourceName, asks, free }) =>
      fits ? isExtendedResourceName(resourceName) && asks > 0n : asks > 0n && asks > free,
    ),
    causes,
    volumes,
  }
}

function reasonsOf(verdict: Verdict): readonly string[] {
  switch (verdict.kind) {
    case 'fits':
      return []
    case 'unschedulable':
    case 'unresolvable':
      return verdict.rejections.flatMap(({ reasons }) => reasons)
    case 'delegated':
      return [`${verdict.resourceNames.join(', ')} is provided by a DeviceClass, which Berth does not evaluate`]
  }
}

const order = ['fits', 'delegated', 'unschedulable', 'unresolvable'] as const

function nearestFirst(a: NodeAnswer, b: NodeAnswer): number {
  const byVerdict = order.indexOf(a.verdict) - order.indexOf(b.verdict)
  if (byVerdict !== 0) return byVerdict
  const missing = ({ resources }: NodeAnswer): bigint =>
    resources.reduce((sum, { asks, free }) => sum + (asks > free ? asks - free : 0n), 0n)
  const byMissing = missing(a) - missing(b)
  if (byMissing !== 0n) return byMissing < 0n ? -1 : 1
  return a.node < b.node ? -1 : 1
}
