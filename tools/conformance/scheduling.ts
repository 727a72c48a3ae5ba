import { type ClusterState, createFramework, ProfileError, type WeightedPlugin } from '@berth/fit-engine'
import {
  comparableDelegation,
  comparableEverything,
  comparableFit,
  comparableTopology,
  comparableVolumes,
} from './comparable.ts'
import { decideBothWays } from './decide-both-ways.ts'
import { describeNodes } from './describe-nodes.ts'
import { profileOf, type SchedulingQuestion, stateOf } from './question.ts'
import { combinedStatuses, filtersAlone, fixedInput, scoresAlone, stageOf } from './scheduling-answer.ts'
import type { VectorKind } from './vector-kind.ts'
import { volumeBindings } from './volume-bindings.ts'

/** The plugins of a kind by name. */
interface PluginNames {
  readonly filters: readonly string[]
  readonly scorers: readonly string[]
}

/** Plugins that read only nodes and pods. */
const basic: PluginNames = {
  filters: ['NodeUnschedulable', 'NodeName', 'TaintToleration', 'NodeAffinity', 'NodePorts', 'NodeResourcesFit'],
  scorers: ['TaintToleration', 'NodeAffinity', 'NodeResourcesFit', 'NodeResourcesBalancedAllocation', 'ImageLocality'],
}
const spread = ['PodTopologySpread', 'InterPodAffinity']
const topology: PluginNames = { filters: [...basic.filters, ...spread], scorers: [...basic.scorers, ...spread] }
const volumes: PluginNames = {
  filters: [...basic.filters, 'VolumeRestrictions', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'],
  scorers: [],
}
const every: PluginNames = {
  filters: [...volumes.filters, ...spread, 'NodeDeclaredFeatures'],
  scorers: topology.scorers,
}

/** Which nodes an answer describes. `every-node` adds what the state knows about each node, and all raw scores. */
type Scope = 'feasible' | 'every-node'

function answerWith(
  names: PluginNames,
  scope: Scope,
  question: SchedulingQuestion,
  state: ClusterState,
  withBindings = false,
): unknown {
  const { pod, nodes } = question
  try {
    const profile = profileOf(question)
    const named = (list: readonly string[]): readonly WeightedPlugin[] =>
      profile.filter(({ plugin }) => list.includes(plugin.name))
    const framework = createFramework({ plugins: named([...names.filters, ...names.scorers]) })
    const hasScores = names.scorers.length > 0
    const decision = decideBothWays(framework, state, pod, { ...fixedInput, ...(!hasScores && { score: false }) })
    const { error, feasible } = decision
    const described = scope === 'every-node' ? describeNodes(state, nodes) : {}
    const alone = { ok: true, ...described, ...filtersAlone(named(names.filters), state, pod) }
    if (error !== undefined && feasible.length === 0) {
      return { ...alone, error: { stage: stageOf(error.message), plugin: error.plugin } }
    }
    const [volumeBinding] = named(['VolumeBinding'])
    const bindings =
      withBindings && volumeBinding !== undefined ? volumeBindings(question, state, volumeBinding, alone.filters) : {}
    const combined = { ...alone, ...combinedStatuses(decision), ...bindings }
    const scored = scope === 'every-node' ? state.nodeNames() : feasible
    if (!hasScores || scored.length === 0) return combined
    return { ...combined, ...scoresAlone(named(names.scorers), state, pod, decision, scored) }
  } catch (error) {
    if (error instanceof ProfileError) return { ok: false, stage: 'config' }
    throw error
  }
}

function answerFor(names: PluginNames, scope: Scope = 'feasible'): VectorKind['answer'] {
  return (input) => {
    const question = input as SchedulingQuestion
    return answerWith(names, scope, question, stateOf(question))
  }
}

function answerVolumes(input: unknown): unknown {
  const question = input as SchedulingQuestion
  return answerWith(volumes, 'feasible', question, stateOf(question), true)
}

/** Runs all filters and scores for the question's pod on the given state. */
export function answerAll(question: SchedulingQuestion, state: ClusterState): unknown {
  return answerWith(every, 'feasible', question, state)
}

/** The kinds that ask how a pod is scheduled, by name. */
export const schedulingKinds: ReadonlyMap<string, VectorKind> = new Map<string, VectorKind>([
  ['fit', { answer: answerFor(basic, 'every-node'), comparable: comparableFit }],
  ['topology', { answer: answerFor(topology), comparable: comparableTopology }],
  ['volumes', { answer: answerVolumes, comparable: comparableVolumes }],
  ['everything', { answer: answerFor(every), comparable: comparableEverything }],
  ['delegation', { answer: answerFor(basic), comparable: comparableDelegation }],
])
