import type { Clock, Pod, Rejection } from '@berth/types'
import { type EffectDeadlines, runHook } from '../binding/effects.ts'
import type { PreemptionPlan } from './plan-preemption.ts'
import { DEFAULT_PREEMPTION, type PreemptionArgs } from '../config/preemption-args.ts'
import type { EffectPlugin } from '../config/profile.ts'

/** What the postFilter plugins found for a pod that fits nowhere. */
export type PostFilterOutcome =
  /** `victims` have to leave first; undefined when a plugin of somebody else takes care of that. */
  | { readonly kind: 'nominated'; readonly nodeName: string; readonly victims: readonly Pod[] | undefined }
  /** `message` is what the sentence of the rejection ends with; '' for nothing. */
  | { readonly kind: 'none'; readonly message: string; readonly clearsNomination: boolean }

/** What the plugins run with. */
export interface PostFilterRun {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlines: EffectDeadlines
  /** Default preemption, where the profile has it. */
  readonly plan: (args: PreemptionArgs) => Promise<PreemptionPlan>
}

/**
 * Asks the postFilter plugins of a profile in order for a node that a rejected pod may get once there is room; the
 * first that names one ends it.
 *
 * @throws EffectError BERTH_SCHEDULER_EFFECT
 */
export async function runPostFilters(
  plugins: readonly EffectPlugin[],
  pod: Pod,
  rejected: ReadonlyMap<string, Rejection>,
  run: PostFilterRun,
): Promise<PostFilterOutcome> {
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
    const options = { clock: run.clock, signal: run.signal, deadlineMs: run.deadlines.hookMs }
    const result = await runHook(plugin, 'postFilter', options, (context) =>
      postFilter(pod, rejected, { ...context, state: new Map() }),
    )
    if (result?.kind === 'nominate') return { kind: 'nominated', nodeName: result.nodeName, victims: undefined }
  }
  return none
}
