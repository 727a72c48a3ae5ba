import { createFramework, preempt, type WeightedPlugin } from '@berth/fit-engine'
import type { PodDisruptionBudget } from '@berth/types'
import { comparableEverything } from './comparable.ts'
import { decideBothWays } from './decide-both-ways.ts'
import { profileOf, type SchedulingQuestion, stateOf } from './question.ts'
import { codeNames, fixedInput, stageOf } from './scheduling-answer.ts'
import type { VectorKind } from './vector-kind.ts'

/** The input of a `preempt` vector. */
type PreemptQuestion = SchedulingQuestion & { readonly pdbs?: readonly PodDisruptionBudget[] }

/** A pod without a start time counts as started now, so now must be after all other start times. */
const latestInput = { ...fixedInput, nowMs: Date.UTC(2200, 0) }

/** Kind `preempt` uses the filters that read only nodes and pods; without other objects the other filters accept. */
const isBasic = ({ plugin }: WeightedPlugin): boolean => plugin.name !== 'NodeDeclaredFeatures'

function answer(input: unknown): unknown {
  const question = input as PreemptQuestion
  return answerWith(question, profileOf(question).filter(isBasic))
}

function answerWith(question: PreemptQuestion, plugins: readonly WeightedPlugin[]): unknown {
  const { pod, pdbs = [] } = question
  const framework = createFramework({ plugins })
  const state = stateOf(question)
  const decision = decideBothWays(framework, state, pod, { ...latestInput, score: false })
  const feasible = decision.feasible.toSorted()
  if (decision.error !== undefined) {
    const { message, plugin } = decision.error
    return { ok: true, error: { stage: stageOf(message), plugin } }
  }
  if (feasible.length > 0) return { ok: true, feasible }
  const found = preempt(framework, state, pod, decision, { ...latestInput, disruptionBudgets: pdbs })
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

/** The dry run and the candidate selection of the default preemption. */
export const preemptKind: VectorKind = { answer }

/** When a filter fails during the dry run, the real code reports nothing else about it. */
function answerEverything(input: unknown): unknown {
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

function comparable(answer: unknown): unknown {
  const { ok } = answer as { ok: boolean }
  return ok ? comparableEverything(answer) : failure
}

/** Like `preempt`, with all thirteen filters. */
export const preemptEverythingKind: VectorKind = { answer: answerEverything, comparable }
