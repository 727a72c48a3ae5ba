import { createFramework } from '@berth/fit-engine'
import type { DeviceClass } from '@berth/types'
import { decideBothWays } from './decide-both-ways.ts'
import { FILTERS, type FitQuestion, SCORERS, stateOf } from './fit.ts'
import type { Kind } from './kind.ts'
import { combinedStatuses, fixedInput, scoresAlone } from './scheduling-answer.ts'
import { profileOf, topologyContract } from './topology.ts'

/** `input` of a delegation vector: no device is there, so that dynamic resource allocation gives nobody anything. */
interface DelegationQuestion extends FitQuestion {
  /** In the order in which the scheduler hears of them. */
  readonly deviceClasses?: readonly DeviceClass[]
}

function answer(input: unknown): unknown {
  const question = input as DelegationQuestion
  const { pod, deviceClasses = [] } = question
  const plugins = profileOf(question).filter(({ plugin: { name } }) => FILTERS.has(name) || SCORERS.has(name))
  const state = stateOf(question)
  for (const each of deviceClasses) state.objects.set('deviceClasses', each)
  const decision = decideBothWays(createFramework({ plugins }), state, pod, fixedInput)
  const scorers = plugins.filter(({ plugin }) => SCORERS.has(plugin.name))
  const { feasible } = decision
  return {
    ok: true,
    ...combinedStatuses(decision),
    ...(feasible.length > 0 && scoresAlone(scorers, state, pod, decision, feasible)),
  }
}

interface Status {
  readonly plugin?: string
  readonly reasons: readonly string[]
}
interface Answer {
  readonly combined?: Readonly<Record<string, Status>>
  readonly scores?: Readonly<Record<string, unknown>>
}

/** What the real plugin of that name refuses, Berth refuses by saying that it is delegated. */
function sameStatus(status: Status): Status {
  const isDelegated = status.reasons.some((reason) => reason.includes(', which is delegated to DeviceClass '))
  const isAllocation = status.plugin === 'DynamicResources'
  return isDelegated || isAllocation ? { ...status, plugin: 'DynamicResources', reasons: [] } : status
}

/** Texts apart, the two must agree on which node fits, and how well. */
function contract(answer: unknown): unknown {
  const { combined = {}, scores, ...rest } = topologyContract(answer) as Answer
  const { DynamicResources: _none, ...ours } = scores ?? {}
  const { message: _text, filters: _alone, preFilter: _skips, ...same } = rest as Record<string, unknown>
  const statuses = Object.entries(combined).map(([node, status]) => [node, sameStatus(status)])
  return { ...same, scores: ours, combined: Object.fromEntries(statuses) }
}

/** Resource names that DeviceClasses back: Fit and its score, and what is left to dynamic resource allocation. */
export const delegationKind: Kind = { answer, contract }
