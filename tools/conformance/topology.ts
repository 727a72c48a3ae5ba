import { createFramework, defaultPlugins, ProfileError } from '@berth/fit-engine'
import type { BuiltInArgs, ClusterState, WeightedPlugin } from '@berth/fit-engine'
import type { Namespace, Service, Workload } from '@berth/types'
import { decideBothWays } from './decide-both-ways.ts'
import { FILTERS as FIT_FILTERS, type FitQuestion, SCORERS as FIT_SCORERS, stateOf } from './fit.ts'
import type { VectorKind } from './vector-kind.ts'
import { combinedStatuses, filtersAlone, fixedInput, scoresAlone } from './scheduling-answer.ts'

/** The input of a `topology` vector. */
export interface TopologyQuestion extends FitQuestion {
  readonly namespaces?: readonly Namespace[]
  readonly services?: readonly Service[]
  readonly replicationControllers?: readonly Workload[]
  readonly replicaSets?: readonly Workload[]
  readonly statefulSets?: readonly Workload[]
  readonly podTopologySpreadArgs?: NonNullable<BuiltInArgs['PodTopologySpread']>
  readonly interPodAffinityArgs?: NonNullable<BuiltInArgs['InterPodAffinity']>
}

const FILTERS: ReadonlySet<string> = new Set([...FIT_FILTERS, 'PodTopologySpread', 'InterPodAffinity'])
const SCORERS: ReadonlySet<string> = new Set([...FIT_SCORERS, 'PodTopologySpread', 'InterPodAffinity'])
const KINDS = ['namespaces', 'services', 'replicationControllers', 'replicaSets', 'statefulSets'] as const

/** Returns the default profile with the question's plugin arguments. */
export function profileOf(question: TopologyQuestion): readonly WeightedPlugin[] {
  const { args, balancedArgs, nodeAffinityArgs, podTopologySpreadArgs, interPodAffinityArgs } = question
  return defaultPlugins({
    ...(args && { NodeResourcesFit: args }),
    ...(balancedArgs && { NodeResourcesBalancedAllocation: balancedArgs }),
    ...(nodeAffinityArgs && { NodeAffinity: nodeAffinityArgs }),
    ...(podTopologySpreadArgs && { PodTopologySpread: podTopologySpreadArgs }),
    ...(interPodAffinityArgs && { InterPodAffinity: interPodAffinityArgs }),
  })
}

/** Adds the question's namespaces, services and workloads to the state. */
export function storeTopology(state: ClusterState, question: TopologyQuestion): void {
  for (const kind of KINDS) for (const object of question[kind] ?? []) state.objects.set(kind, object)
}

/** Runs the named filters and the scores of `topology` on the given state. */
export function answerWith(filterNames: ReadonlySet<string>, state: ClusterState, question: TopologyQuestion): unknown {
  const { pod } = question
  try {
    const plugins = profileOf(question).filter(({ plugin: { name } }) => filterNames.has(name) || SCORERS.has(name))
    const decision = decideBothWays(createFramework({ plugins }), state, pod, fixedInput)
    const filters = plugins.filter(({ plugin }) => filterNames.has(plugin.name))
    const scorers = plugins.filter(({ plugin }) => SCORERS.has(plugin.name))
    const alone = filtersAlone(filters, state, pod)
    const { error, feasible } = decision
    if (error !== undefined && feasible.length === 0) {
      return { ok: true, ...alone, error: { stage: stageOf(error.message), plugin: error.plugin } }
    }
    const combined = { ok: true, ...alone, ...combinedStatuses(decision) }
    return feasible.length === 0 ? combined : { ...combined, ...scoresAlone(scorers, state, pod, decision, feasible) }
  } catch (error) {
    if (error instanceof ProfileError) return { ok: false, stage: 'config' }
    throw error
  }
}

function answer(input: unknown): unknown {
  const question = input as TopologyQuestion
  const state = stateOf(question)
  storeTopology(state, question)
  return answerWith(FILTERS, state, question)
}

/** Returns the extension point that failed, from the message of a decision. */
export function stageOf(message: string): string {
  return message.startsWith('running PreFilter plugin') ? 'PreFilter' : 'Filter'
}

/** Compares only the start of a parse problem, and no reasons of an Error. */
export function comparableTopology(answer: unknown): unknown {
  const cut = JSON.parse(JSON.stringify(answer, withoutTexts)) as { error?: unknown; scoreError?: { stage: string } }
  const { scoreError, ...rest } = cut as { scoreError?: { stage: string }; ok?: boolean; error?: unknown }
  const known = rest.ok === false ? { ok: false, stage: 'config' } : rest
  if (scoreError === undefined) return known
  return { ...known, scoreError: scoreError.stage === 'PreScore' ? { stage: 'PreScore' } : scoreError }
}

function withoutTexts(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/parsing pod: .*/s, 'parsing pod: ')
  if (typeof value === 'object' && value !== null && 'code' in value && value.code === 'Error') return { code: 'Error' }
  return value
}

/** Topology spread and pod affinity, together with the plugins of `fit`. */
export const topologyKind: VectorKind = { answer, comparable: comparableTopology }
