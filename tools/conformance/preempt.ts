import { createFramework, decide, defaultPlugins, preempt } from '@berth/fit-engine'
import { StatusCode, type PodDisruptionBudget } from '@berth/types'
import { type FitQuestion, stateOf } from './fit.ts'
import type { Kind } from './kind.ts'
import { fixedInput } from './scheduling-answer.ts'

/** `input` of a preempt vector. */
interface PreemptQuestion extends FitQuestion {
  readonly pdbs?: readonly PodDisruptionBudget[]
}

function answer(input: unknown): unknown {
  const question = input as PreemptQuestion
  const { args, balancedArgs, nodeAffinityArgs, pod, pdbs = [] } = question
  const plugins = defaultPlugins({
    ...(args && { fit: args }),
    ...(balancedArgs && { balanced: balancedArgs }),
    ...(nodeAffinityArgs && { nodeAffinity: nodeAffinityArgs }),
  })
  const framework = createFramework({ plugins })
  const state = stateOf(question)
  const decision = decide(framework, state, pod, { ...fixedInput, score: false })
  const feasible = decision.feasible.toSorted()
  if (feasible.length > 0) return { ok: true, feasible }
  const { isEligible, ineligibleReason, potentialNodes, candidates, failed, chosen } = preempt(
    framework,
    state,
    pod,
    decision,
    { ...fixedInput, disruptionBudgets: pdbs },
  )
  const head = { ok: true, feasible, message: decision.message, eligible: isEligible, eligibleReason: ineligibleReason }
  if (!isEligible) return head
  if (potentialNodes.length === 0) return { ...head, potentialNodes }
  return {
    ...head,
    potentialNodes,
    candidates: Object.fromEntries(
      candidates.map(({ node, victims, violations }) => [
        node,
        { victims: victims.map(({ metadata }) => metadata.name), numPDBViolations: violations },
      ]),
    ),
    notCandidates: Object.fromEntries(
      [...failed].map(([node, { code, reasons }]) => [
        node,
        {
          code: code === StatusCode.Unschedulable ? 'Unschedulable' : 'UnschedulableAndUnresolvable',
          reasons: reasons.toSorted(),
        },
      ]),
    ),
    ...(candidates.length > 0 && { chosen: chosen.map(({ node }) => node).toSorted() }),
  }
}

/** Dry run and choice of the default preemption. */
export const preemptKind: Kind = { answer }
