import type { Clock, Pod, Rejection } from '@berth/types'
import { type EffectDeadlines, runHook, type WriteFence } from '../binding/run-hook.ts'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import type { PreemptionPlan } from './plan-preemption.ts'
import { DEFAULT_PREEMPTION, type PreemptionArgs } from '@berth/fit-engine'
import type { EffectPlugin } from '@berth/scheduler-config'

/** The result of the postFilter plugins for an unschedulable pod. */
export type PostFilterOutcome =
  /** The victims must be deleted first; undefined when the plugin that nominated the node deletes them itself. */
  | { readonly kind: 'nominated'; readonly nodeName: string; readonly victims: readonly Pod[] | undefined }
  /** `message` is appended to the rejection message; '' for nothing. */
  | { readonly kind: 'none'; readonly message: string; readonly clearsNomination: boolean }

/** Options of {@link runPostFilters}. */
export interface PostFilterOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlines: EffectDeadlines
  readonly waitingPods: WaitingPodRegistry
  /** Fence of the hooks, which may delete pods. */
  readonly fence: WriteFence
  /** Plans default preemption; called in the place of DefaultPreemption in the profile. */
  readonly plan: (args: PreemptionArgs) => Promise<PreemptionPlan>
}

/**
 * Runs the postFilter plugins of a profile in order until one of them nominates a node, on which the pod may fit once
 * there is room.
 *
 * @param rejected - Returns the rejections by node name; called only if a plugin has the hook.
 * @throws EffectError BERTH_SCHEDULER_EFFECT
 */
export async function runPostFilters(
  plugins: readonly EffectPlugin[],
  pod: Pod,
  rejected: () => ReadonlyMap<string, Rejection>,
  run: PostFilterOptions,
): Promise<PostFilterOutcome> {
  // Before preemption is planned: the missing amounts are known only as long as the state does not change.
  const rejections = plugins.some(({ hooks }) => hooks.postFilter !== undefined) ? rejected() : new Map()
  let none: PostFilterOutcome = { kind: 'none', message: '', clearsNomination: false }
  for (const plugin of plugins) {
    const { preemption } = plugin
    if (preemption !== undefined && plugin.name === DEFAULT_PREEMPTION) {
      const plan = await run.plan(preemption)
      if (plan.kind === 'evict') return { kind: 'nominated', nodeName: plan.nodeName, victims: plan.victims }
      none = plan
      continue
    }
    const { postFilter } = plugin.hooks
    if (postFilter === undefined) continue
    const { clock, signal, fence, waitingPods, deadlines } = run
    const options = { clock, signal, fence, waitingPods, deadlineMs: deadlines.hookMs }
    const result = await runHook(plugin, 'postFilter', options, (context) =>
      postFilter(pod, rejections, { ...context, state: new Map() }),
    )
    if (result?.kind === 'nominate') return { kind: 'nominated', nodeName: result.nodeName, victims: undefined }
  }
  return none
}
