import { createFramework, preempt, type WeightedPlugin } from '@berth/fit-engine'
import type { PodDisruptionBudget } from '@berth/types'
import { decideBothWays } from './decide-both-ways.ts'
import { type EverythingQuestion, wholeStateOf } from './everything.ts'
import type { Kind } from './kind.ts'
import { codeNames, fixedInput } from './scheduling-answer.ts'
import { profileOf, stageOf, topologyContract } from './topology.ts'
import { volumesContract } from './volumes.ts'

/** `input` of a preempt vector. */
type PreemptQuestion = EverythingQuestion & { readonly pdbs?: readonly PodDisruptionBudget[] }

/** A pod without a start time starts now, which is after all those that have one. */
const lateInput = { ...fixedInput, nowMs: Date.UTC(2200, 0) }

/** `preempt` asks the filters that need nothing but nodes and pods; with nothing else known the others pass. */
const isBasic = ({ plugin }: WeightedPlugin): boolean => plugin.name !== 'NodeDeclaredFeatures'

function answer(input: unknown): unknown {
  const question = input as PreemptQuestion
  return answerWith(question, profileOf(question).filter(isBasic))
}

function answerWith(question: PreemptQuestion, plugins: readonly WeightedPlugin[]): unknown {
  const { pod, pdbs = [] } = question
  const framework = createFramework({ plugins })
  const state = wholeStateOf(question)
  const decision = decideBothWays(framework, state, pod, { ...lateInput, score: false })
  const feasible = decision.feasible.toSorted()
  if (decision.error !== undefined) {
    const { message, plugin } = decision.error
    return { ok: true, error: { stage: stageOf(message), plugin } }
  }
  if (feasible.length > 0) return { ok: true, feasible }
  const found = preempt(framework, state, pod, decision, { ...lateInput, disruptionBudgets: pdbs })
  const { isEligible, ineligibleReason, potentialNodes, candidates, failed, chosen } = found
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
          code: codeNames.get(code),
          reasons: reasons.toSorted(),
        },
      ]),
    ),
    ...(candidates.length > 0 && { chosen: chosen.map(({ node }) => node).toSorted() }),
  }
}

/** Dry run and choice of the default preemption. */
export const preemptKind: Kind = { answer }

/** Where a filter broke on a changed node, the real code tells no more of the dry run than that. */
function answerOrFailure(input: unknown): unknown {
  try {
    const question = input as PreemptQuestion
    const answered = answerWith(question, profileOf(question)) as {
      notCandidates?: Readonly<Record<string, { readonly code: string }>>
    }
    const isBroken = Object.values(answered.notCandidates ?? {}).some(({ code }) => code === 'Error')
    return isBroken ? failure : answered
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('running Filter plugin')) return failure
    throw error
  }
}

const failure = { ok: false }

function everythingContract(answer: unknown): unknown {
  const { ok } = answer as { ok: boolean }
  return ok ? topologyContract(volumesContract(answer)) : failure
}

/** The same with all thirteen filters. */
export const preemptEverythingKind: Kind = { answer: answerOrFailure, contract: everythingContract }
