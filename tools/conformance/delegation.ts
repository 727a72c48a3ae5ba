import { createFramework } from '@berth/fit-engine'
import type { DeviceClass } from '@berth/types'
import { decideBothWays } from './decide-both-ways.ts'
import { FILTERS, type FitQuestion, SCORERS, stateOf } from './fit.ts'
import type { VectorKind } from './vector-kind.ts'
import { combinedStatuses, fixedInput, scoresAlone } from './scheduling-answer.ts'
import { profileOf, comparableTopology } from './topology.ts'

/** The input of a `delegation` vector. There are no devices, so dynamic resource allocation never succeeds. */
interface DelegationQuestion extends FitQuestion {
  /** In the order in which the scheduler receives them. */
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

/** Unifies the two refusals: the real DynamicResources plugin finds no device, Berth calls the resource delegated. */
function unifyStatus(status: Status): Status {
  const isDelegated = status.reasons.some((reason) => reason.includes(', which is delegated to DeviceClass '))
  const isAllocation = status.plugin === 'DynamicResources'
  return isDelegated || isAllocation ? { ...status, plugin: 'DynamicResources', reasons: [] } : status
}

/** Compares which nodes fit and their scores, but no texts. */
function comparable(answer: unknown): unknown {
  const { combined = {}, scores, ...rest } = comparableTopology(answer) as Answer
  const { DynamicResources: _none, ...ours } = scores ?? {}
  const { message: _text, filters: _alone, preFilter: _skips, ...same } = rest as Record<string, unknown>
  const statuses = Object.entries(combined).map(([node, status]) => [node, unifyStatus(status)])
  return { ...same, scores: ours, combined: Object.fromEntries(statuses) }
}

/** Resource names that DeviceClasses back: the Fit filter and score, and what is delegated. */
export const delegationKind: VectorKind = { answer, comparable: comparable }
