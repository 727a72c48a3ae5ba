import { createClusterState, createFramework, defaultPlugins, ProfileError } from '@berth/fit-engine'
import type { BuiltInArgs, ClusterState } from '@berth/fit-engine'
import { boundPodRequest, hostPorts, isScalarResourceName, resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { decideBothWays } from './decide-both-ways.ts'
import type { VectorKind } from './vector-kind.ts'
import { combinedStatuses, filtersAlone, fixedInput, scoresAlone } from './scheduling-answer.ts'

/** The input of a `fit` vector. */
export interface FitQuestion {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly nominatedPods?: readonly Pod[]
  readonly pod: Pod
  readonly args?: NonNullable<BuiltInArgs['NodeResourcesFit']>
  readonly balancedArgs?: NonNullable<BuiltInArgs['NodeResourcesBalancedAllocation']>
  readonly nodeAffinityArgs?: NonNullable<BuiltInArgs['NodeAffinity']>
}

/** Filters that read only nodes and pods. */
export const FILTERS: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
])
/** Score plugins that read only nodes and pods. */
export const SCORERS: ReadonlySet<string> = new Set([
  'TaintToleration',
  'NodeAffinity',
  'NodeResourcesFit',
  'NodeResourcesBalancedAllocation',
  'ImageLocality',
])

/** Creates the cluster state that the question describes. */
export function stateOf({ nodes, pods = [], nominatedPods = [] }: FitQuestion): ClusterState {
  const state = createClusterState()
  for (const node of nodes) state.setNode(node)
  for (const pod of pods) state.setPod(pod)
  for (const pod of nominatedPods) state.nominate(pod, pod.status?.nominatedNodeName ?? '')
  return state
}

function scalarAmounts(names: Iterable<string>, amountOf: (name: string) => bigint): Record<string, string> {
  return Object.fromEntries([...names].filter(isScalarResourceName).map((name) => [name, `${amountOf(name)}`]))
}

function wrappedSum(values: readonly bigint[]): string {
  return `${BigInt.asIntN(
    64,
    values.reduce((sum, value) => sum + value, 0n),
  )}`
}

/** Returns a number, or a string of digits when a double cannot hold it, as `parseExactJson` reads expected answers. */
function exactNumber(value: bigint): number | string {
  return String(Number(value)) === `${value}` ? Number(value) : `${value}`
}

function describeNode(state: ClusterState, node: Node): unknown {
  const row = state.rowOf(node.metadata.name ?? '') ?? 0
  const pods = state.podsOn(row)
  const bound = pods.map(boundPodRequest)
  const amounts = (amountOf: (name: string) => bigint, scalars: Iterable<string>) => ({
    milliCPU: `${amountOf('cpu')}`,
    memory: `${amountOf('memory')}`,
    ephemeralStorage: `${amountOf('ephemeral-storage')}`,
    scalar: scalarAmounts(scalars, amountOf),
  })
  const allocatable = (name: string): bigint => state.allocatable(row, name)
  const requested = (name: string): bigint => state.requested(row, name)
  const requestedNames = new Set(bound.flatMap(({ scalar }) => [...scalar.keys()]))
  const ports = pods.flatMap((pod) => hostPorts(pod).map(({ ip, protocol, port }) => `${ip} ${protocol} ${port}`))
  return {
    allocatable: {
      ...amounts(allocatable, resourceAmounts(node.status?.allocatable).keys()),
      allowedPodNumber: exactNumber(allocatable('pods')),
    },
    requested: amounts(requested, requestedNames),
    nonZeroMilliCPU: wrappedSum(bound.map(({ nonZeroMilliCpu }) => nonZeroMilliCpu)),
    nonZeroMemory: wrappedSum(bound.map(({ nonZeroMemory }) => nonZeroMemory)),
    pods: Number(requested('pods')),
    usedHostPorts: new Set(ports).size,
  }
}

function answer(input: unknown): unknown {
  const question = input as FitQuestion
  const { args, balancedArgs, nodeAffinityArgs, pod } = question
  try {
    const plugins = defaultPlugins({
      ...(args && { NodeResourcesFit: args }),
      ...(balancedArgs && { NodeResourcesBalancedAllocation: balancedArgs }),
      ...(nodeAffinityArgs && { NodeAffinity: nodeAffinityArgs }),
    }).filter(({ plugin: { name } }) => FILTERS.has(name) || SCORERS.has(name))
    const state = stateOf(question)
    const decision = decideBothWays(createFramework({ plugins }), state, pod, fixedInput)
    const filters = plugins.filter(({ plugin }) => FILTERS.has(plugin.name))
    const scorers = plugins.filter(({ plugin }) => SCORERS.has(plugin.name))
    return {
      ok: true,
      snapshotOrder: state.nodeNames(),
      nodeInfo: Object.fromEntries(question.nodes.map((node) => [node.metadata.name, describeNode(state, node)])),
      ...filtersAlone(filters, state, pod),
      ...combinedStatuses(decision),
      ...scoresAlone(scorers, state, pod, decision),
    }
  } catch (error) {
    if (error instanceof ProfileError) return { ok: false, stage: 'config' }
    throw error
  }
}

/** Ignores the text of a refused configuration and of a failed PreScore. */
function comparable(answer: unknown): unknown {
  const { error: _text, scoreError, ...rest } = answer as { error?: string; scoreError?: { stage: string } }
  if (scoreError === undefined) return rest
  return { ...rest, scoreError: scoreError.stage === 'PreScore' ? { stage: 'PreScore' } : scoreError }
}

/** The six filters and five scores that read only nodes and pods. */
export const fitKind: VectorKind = { answer, comparable: comparable }
