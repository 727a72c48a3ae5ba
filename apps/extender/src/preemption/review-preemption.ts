import type { ClusterView } from '@berth/cluster-view'
import { describeVictims, type PreemptionCandidate, reviewVictims } from '@berth/fit-engine'
import { errorText } from '@berth/text/error-text'
import type { MetaVictims, Pod, Random, Victims } from '@berth/types'
import type { ExtenderProfile } from '@berth/scheduler-config'
import { RefusalError } from '../errors.ts'
import type { PreemptionHooks } from '../effects/effect-hooks.ts'

/** Dependencies of {@link createPreemptionReview}. */
export interface PreemptionReviewOptions {
  readonly profile: ExtenderProfile
  readonly view: Pick<ClusterView, 'state' | 'notReady'>
  readonly hooks: PreemptionHooks
  readonly now: () => number
  readonly random: Random
}

/**
 * Reviews the victims that kube-scheduler proposes, by node.
 *
 * @param onReviewed - Called with the victims of the engine, before the hooks run and the state can change.
 * @returns The nodes on which eviction helps, each with at least one victim, the highest priority first.
 * @throws RefusalError when the pod cannot be evaluated, or a plugin fails.
 */
export type PreemptionReview = (
  pod: Pod,
  proposed: ReadonlyMap<string, MetaVictims>,
  onReviewed?: (victims: ReadonlyMap<string, MetaVictims>) => void,
) => Promise<ReadonlyMap<string, MetaVictims>>

/**
 * Creates a review with the engine and the plugins. The engine adds victims where its filters need more room than
 * kube-scheduler's and removes nodes where eviction does not help. Then the processPreemption hooks run. Budget
 * violations are counted again for the resulting victims.
 */
export function createPreemptionReview(options: PreemptionReviewOptions): PreemptionReview {
  const { profile, view, hooks, now, random } = options
  return async (pod, proposed, onReviewed) => {
    const reason = view.notReady()
    if (reason !== undefined) {
      throw new RefusalError(`review preemption: ${reason}`, { code: 'BERTH_EXTENDER_STALE', retryable: true })
    }
    const { state } = view
    const budgets = state.objects.list('podDisruptionBudgets')
    const uids = new Map([...proposed].map(([node, { Pods }]) => [node, new Set(Pods.map(({ UID }) => UID))]))
    const reviewed = reviewVictims(profile.framework, state, pod, uids, {
      nowMs: now(),
      random,
      disruptionBudgets: budgets,
    })
    onReviewed?.(new Map(reviewed.map((candidate) => [candidate.node, toMeta(candidate)])))
    const byNode = new Map(reviewed.map((candidate) => [candidate.node, toVictims(candidate)]))
    const processed = await hooks(pod, byNode).catch((error: unknown) => {
      throw pluginError(errorText(error), error)
    })
    const result = new Map<string, MetaVictims>()
    for (const [node, { Pods }] of processed) {
      checkGrown(node, byNode.get(node), Pods, view)
      if (Pods.length > 0) result.set(node, toMeta(describeVictims(Pods, { budgets, nowMs: now() })))
    }
    return result
  }
}

function toVictims({ victims, violations }: PreemptionCandidate): Victims {
  return { Pods: victims, NumPDBViolations: violations }
}

function toMeta({ victims, violations }: Omit<PreemptionCandidate, 'node'>): MetaVictims {
  return { Pods: victims.map(({ metadata }) => ({ UID: metadata.uid ?? '' })), NumPDBViolations: violations }
}

/** Checks that a hook did not remove a victim, and named only pods of the node: kube-scheduler would evict any pod. */
function checkGrown(
  node: string,
  before: Victims | undefined,
  after: readonly Pod[],
  { state }: Pick<ClusterView, 'state'>,
): void {
  if (before === undefined) throw pluginError(`a processPreemption hook added node ${node}, which is not a candidate`)
  const row = state.rowOf(node)
  const here = new Set(row === undefined ? [] : state.podsOn(row).map(({ metadata }) => metadata.uid))
  const uids = new Set(after.map(({ metadata }) => metadata.uid))
  if (before.Pods.some(({ metadata }) => !uids.has(metadata.uid))) {
    throw pluginError(`a processPreemption hook removed a victim on node ${node}; omit the node to keep its pods`)
  }
  const stranger = after.find(({ metadata }) => !here.has(metadata.uid))
  if (stranger !== undefined) {
    throw pluginError(
      `a processPreemption hook named pod ${stranger.metadata.name ?? ''}, which is not on node ${node}`,
    )
  }
}

function pluginError(message: string, cause?: unknown): RefusalError {
  return new RefusalError(`review preemption: ${message}`, { code: 'BERTH_EXTENDER_PLUGIN', cause })
}
