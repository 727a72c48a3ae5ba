import type { ClusterView } from '@berth/cluster-view'
import {
  type Decision,
  decisionOfRejections,
  drawIndex,
  leastHarmful,
  preempt,
  type Preemption,
  type PreemptionCandidate,
} from '@berth/fit-engine'
import { type Pod, StatusCode } from '@berth/types'
import type { ExtenderCallContext } from '../extenders/observe-call.ts'
import { preemptByExtenders } from '../extenders/preempt-by-extenders.ts'
import { ExtenderError, PreemptionError } from '../errors.ts'
import { podName, podUid } from '../queue/queued-pod.ts'
import type { ExtenderClient } from '../extenders/extender-client.ts'
import { candidateLimit, type PreemptionArgs } from '@berth/fit-engine'
import type { Profile } from '@berth/scheduler-config'

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

/** Number of plans after which an attempt gives up, because the cluster changes during each call to the extenders. */
const MAX_PLANS = 3

/**
 * Plans default preemption: checks whether the pod may preempt, runs the dry run, calls the extenders and chooses a
 * node. Changes nothing.
 *
 * Other pods may preempt while the extenders are called. A plan whose node then needs other victims is made again, so that
 * two pods do not count on the room of the same victims. The plan is valid until the caller yields to other attempts.
 *
 * @param decision - The decision that found no node, including rejections by extenders.
 * @throws PreemptionError BERTH_SCHEDULER_PREEMPT when the cluster changed during every call to the extenders.
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
  const extenders = input.extenders.filter((extender) => extender.hasPreempt && extender.isInterestedIn(pod))
  const dryRun = (on: Decision): Preemption => {
    let potential = 0
    for (const { code, count } of on.rejectionGroups) if (code === StatusCode.Unschedulable) potential += count
    return preempt(framework, state, pod, on, {
      nowMs,
      random,
      maxCandidates: candidateLimit(potential, args),
      disruptionBudgets: state.objects.list('podDisruptionBudgets'),
    })
  }
  /** Returns whether the node still needs the same victims. */
  const isCurrent = ({ node }: PreemptionCandidate, planned: Preemption): boolean => {
    const rejection = decision.rejected.get(node)
    if (rejection === undefined) return false
    const { candidates } = dryRun(decisionOfRejections(new Map([[node, rejection]]), decision))
    return victimsOn(node, candidates) === victimsOn(node, planned.candidates)
  }
  for (let plans = 0; plans < MAX_PLANS; plans++) {
    const found = dryRun(decision)
    if (!found.isEligible) return noPreemption(found.message, false)
    if (found.candidates.length === 0) return noPreemption(found.message, true)
    let { chosen } = found
    if (extenders.length > 0) {
      const remaining = await callExtenders(extenders, pod, found.candidates, input)
      if (typeof remaining === 'string') return noPreemption(remaining, false)
      if (remaining.length === 0) return noPreemption('no candidate node for preemption', false)
      chosen = leastHarmful(remaining, nowMs)
    }
    const best = chosen[drawIndex(chosen.length, random)]
    if (best === undefined) return noPreemption('no candidate node for preemption', false)
    if (extenders.length === 0 || isCurrent(best, found)) {
      return { kind: 'evict', nodeName: best.node, victims: best.victims }
    }
  }
  throw new PreemptionError(
    `preempt for ${podName(pod)}: other pods changed the chosen node during ${MAX_PLANS} calls to the extenders`,
    { code: 'BERTH_SCHEDULER_PREEMPT', retryable: true },
  )
}

/** Identifies the victims of the candidate on the node; undefined when it is not a candidate. */
function victimsOn(node: string, candidates: readonly PreemptionCandidate[]): string | undefined {
  const victims = candidates.find((candidate) => candidate.node === node)?.victims
  return victims?.map(podUid).toSorted().join(' ')
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
