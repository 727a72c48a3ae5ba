import type { ClusterState, PreemptionCandidate } from '@berth/fit-engine'
import type { MetaVictims, Pod } from '@berth/types'
import { ExtenderError } from '../errors.ts'
import type { ExtenderClient } from './extender-client.ts'
import { type ExtenderCallContext, observeCall } from './observe-call.ts'

/**
 * Calls the extenders with a preempt verb one after the other, each with the candidates that the previous one kept,
 * until none remains. An ignorable extender that fails is skipped. Stricter than kube-scheduler: a victim must have a
 * lower priority than the pod.
 *
 * @param extenders - Those interested in the pod, in call order.
 * @throws ExtenderError when an extender fails that is not ignorable.
 * @see kubernetes/kubernetes pkg/scheduler/framework/preemption/preemption.go callExtenders (v1.36)
 */
export async function preemptByExtenders(
  extenders: readonly ExtenderClient[],
  pod: Pod,
  candidates: readonly PreemptionCandidate[],
  state: ClusterState,
  context: ExtenderCallContext,
): Promise<readonly PreemptionCandidate[]> {
  let remaining = candidates
  for (const extender of extenders) {
    if (remaining.length === 0) break
    const offered = remaining
    try {
      const victimsByNode = await observeCall(extender, 'preempt', context, () =>
        extender.preempt(pod, offered, context.signal),
      )
      remaining = [...victimsByNode].flatMap(([node, victims]) =>
        readCandidate(node, victims, { extender, pod, state }),
      )
    } catch (error) {
      if (!(error instanceof ExtenderError) || !extender.isIgnorable) throw error
    }
  }
  return remaining
}

interface ReadContext {
  readonly extender: ExtenderClient
  readonly pod: Pod
  readonly state: ClusterState
}

/**
 * Finds the pods for the victim uids in an extender's response. Returns an empty list when an ignorable extender names
 * none.
 */
function readCandidate(node: string, answer: MetaVictims, context: ReadContext): readonly PreemptionCandidate[] {
  const { extender, pod, state } = context
  const row = state.rowOf(node)
  if (row === undefined) throwInvalid(extender, `it claims to preempt on node ${node}, which is not known`)
  const byUid = new Map(state.podsOn(row).map((other) => [other.metadata.uid, other]))
  const victims = answer.Pods.map(({ UID }) => {
    const victim = byUid.get(UID)
    if (victim === undefined) {
      throwInvalid(
        extender,
        `it claims to preempt pod (UID: ${UID}) on node: ${node}, but the pod is not found on that node`,
      )
    }
    if ((victim.spec.priority ?? 0) >= (pod.spec.priority ?? 0)) {
      throwInvalid(extender, `it claims to preempt pod (UID: ${UID}) on node: ${node}, which is not of lower priority`)
    }
    return victim
  })
  if (victims.length > 0) return [{ node, victims, violations: answer.NumPDBViolations }]
  if (extender.isIgnorable) return []
  return throwInvalid(extender, `expected at least one victim pod on node "${node}"`)
}

function throwInvalid({ url }: ExtenderClient, reason: string): never {
  throw new ExtenderError(`read answer of extender ${url}: ${reason}`, {
    code: 'BERTH_SCHEDULER_EXTENDER_ANSWER',
    retryable: true,
  })
}
