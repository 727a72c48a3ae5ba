import type { ClusterView } from '@berth/cluster-view'
import { type Decision, leastHarmful, preempt, type PreemptionCandidate } from '@berth/fit-engine'
import { type Pod, StatusCode } from '@berth/types'
import type { ExtenderCallContext } from '../extenders/observe-call.ts'
import { preemptByExtenders } from '../extenders/preempt-by-extenders.ts'
import { ExtenderError } from '../errors.ts'
import type { ExtenderClient } from '../extenders/extender-client.ts'
import { candidateLimit, type PreemptionArgs, type Profile } from '@berth/scheduler-config'

/** The victims to delete on one node, or the reason why preemption does not help. */
export type PreemptionPlan =
  | { readonly kind: 'evict'; readonly nodeName: string; readonly victims: readonly Pod[] }
  /** `clearsNomination`: an existing nomination of the pod is no longer useful. */
  | { readonly kind: 'none'; readonly message: string; readonly clearsNomination: boolean }

/** Options of {@link planPreemption}. */
export interface PlanPreemptionOptions extends ExtenderCallContext {
  readonly view: Pick<ClusterView, 'state'>
  /** Every configured extender, in call order. */
  readonly extenders: readonly ExtenderClient[]
  readonly nowMs: number
  readonly random: () => number
}

/**
 * Plans default preemption: checks whether the pod may preempt, runs the dry run, calls the extenders and chooses a
 * node. Changes nothing.
 *
 * @param decision - The decision that found no node, including rejections by extenders.
 * @see kubernetes/kubernetes pkg/scheduler/framework/preemption/preemption.go Preempt (v1.36)
 */
export async function planPreemption(
  { framework }: Pick<Profile, 'framework'>,
  args: PreemptionArgs,
  pod: Pod,
  decision: Decision,
  input: PlanPreemptionOptions,
): Promise<PreemptionPlan> {
  const { view, nowMs, random } = input
  const { state } = view
  let potential = 0
  for (const { code } of decision.rejected.values()) if (code === StatusCode.Unschedulable) potential += 1
  const found = preempt(framework, state, pod, decision, {
    nowMs,
    random,
    maxCandidates: candidateLimit(potential, args),
    disruptionBudgets: state.objects.list('podDisruptionBudgets'),
  })
  if (!found.isEligible) return noPreemption(found.message, false)
  if (found.candidates.length === 0) return noPreemption(found.message, true)
  let { chosen } = found
  const extenders = input.extenders.filter((extender) => extender.hasPreempt && extender.isInterestedIn(pod))
  if (extenders.length > 0) {
    const remaining = await callExtenders(extenders, pod, found.candidates, input)
    if (typeof remaining === 'string') return noPreemption(remaining, false)
    if (remaining.length === 0) return noPreemption('no candidate node for preemption', false)
    chosen = leastHarmful(remaining, nowMs)
  }
  const best = chosen[Math.min(chosen.length - 1, Math.floor(random() * chosen.length))]
  if (best === undefined) return noPreemption('no candidate node for preemption', false)
  return { kind: 'evict', nodeName: best.node, victims: best.victims }
}

function noPreemption(message: string, clearsNomination: boolean): PreemptionPlan {
  return { kind: 'none', message: `preemption: ${message}`, clearsNomination }
}

/** Returns the candidates that the extenders keep, or the error message of an extender that is not ignorable. */
async function callExtenders(
  extenders: readonly ExtenderClient[],
  pod: Pod,
  candidates: readonly PreemptionCandidate[],
  input: PlanPreemptionOptions,
): Promise<readonly PreemptionCandidate[] | string> {
  try {
    return await preemptByExtenders(extenders, pod, candidates, input.view.state, input)
  } catch (error) {
    if (!(error instanceof ExtenderError)) throw error
    return error.message
  }
}
