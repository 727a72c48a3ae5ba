import { node } from './cluster-node.ts'
import { candidate, nodeAffinity, pod } from './cluster-pod.ts'
import { podSelector } from './parts.ts'
import { balancedArgs, fitArgs, ignoredResources } from './plugin-args.ts'
import type { Choices } from './random.ts'

type Json = Record<string, unknown>

/** Mostly few, so that they meet; sometimes enough for indexes and columns. */
function nodeCount(choices: Choices): number {
  if (choices.chance(0.96)) return choices.integer(1, 6)
  return choices.chance(0.9) ? choices.integer(7, 24) : choices.integer(65, 90)
}

/** Pods that wait for a node that is kept free for them; now and then the pod in question itself, or a node that is not there. */
function nominatedPods(choices: Choices, asked: Json, nodes: number): Json[] {
  const isAsked = choices.chance(0.1)
  return choices.list(1, 2, (index) => {
    const made = isAsked && index === 0 ? asked : pod(choices, `w${index}`)
    const nominatedNodeName = `n${choices.integer(0, choices.chance(0.95) ? nodes - 1 : nodes)}`
    return { ...made, status: { nominatedNodeName } }
  })
}

/** Now and then a node that is gone. */
function nodeOf(choices: Choices, count: number): string {
  return choices.chance(0.02) ? 'gone' : `n${choices.integer(0, count - 1)}`
}

/** One question of kind `fit`. */
export function fitQuestion(choices: Choices): Json {
  const count = nodeCount(choices)
  const nodes = Array.from({ length: count }, (_, index) => node(choices, index))
  const pods = choices.list(0, Math.max(10, count), (index) =>
    pod(choices, `b${index}`, choices.chance(0.95) ? nodeOf(choices, count) : undefined),
  )
  const asked = candidate(choices)
  return {
    nodes,
    pods,
    pod: asked,
    ...choices.maybe(0.2, 'nominatedPods', () => nominatedPods(choices, asked, count)),
    ...choices.maybe(0.4, 'args', () => fitArgs(choices)),
    ...choices.maybe(0.15, 'balancedArgs', () => balancedArgs(choices)),
    ...choices.maybe(0.12, 'nodeAffinityArgs', () => ({ addedAffinity: nodeAffinity(choices) })),
  }
}

function budget(choices: Choices, index: number): Json {
  return {
    metadata: { name: `pdb${index}`, namespace: choices.pick(['default', 'default', 'other']) },
    spec: choices.maybe(0.95, 'selector', () => (choices.chance(0.95) ? podSelector(choices) : {})),
    status: {
      ...choices.maybe(0.95, 'disruptionsAllowed', () => choices.integer(0, 2)),
      ...choices.maybe(0.15, 'disruptedPods', () => ({ [`b${choices.integer(0, 9)}`]: '2026-01-01T00:00:00Z' })),
    },
  }
}

/** A pod that is on its way out, some of them because somebody preempted them. */
function leaving(choices: Choices, made: Json): Json {
  const condition = {
    type: choices.pick(['DisruptionTarget', 'DisruptionTarget', 'Ready']),
    status: choices.pick(['True', 'True', 'False']),
    reason: choices.pick(['PreemptionByScheduler', 'PreemptionByScheduler', 'EvictionByEvictionAPI']),
  }
  return {
    ...made,
    metadata: { ...(made['metadata'] as Json), deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { ...(made['status'] as Json), conditions: [condition] },
  }
}

/** Makes of a question one about preemption: priorities, budgets, pods that leave, a node that is kept for the pod. */
export function withPreemption(choices: Choices, question: Json): Json {
  const asked = question['pod'] as Json
  const pods = (question['pods'] as Json[]).map((made) => (choices.chance(0.06) ? leaving(choices, made) : made))
  const [first, ...others] = pods
  // Of several pods without a start time it is chance which one started first.
  const { startTime: _startTime, ...notStarted } = (first?.['status'] ?? {}) as Json
  const nominatedNodeName = `n${choices.integer(0, (question['nodes'] as Json[]).length - 1)}`
  return {
    ...question,
    pods: first !== undefined && choices.chance(0.1) ? [{ ...first, status: notStarted }, ...others] : pods,
    pod: {
      ...asked,
      status: choices.maybe(0.15, 'nominatedNodeName', () => nominatedNodeName),
      spec: { ...(asked['spec'] as Json), priority: choices.pick([5, 10, 50]) },
    },
    ...choices.maybe(0.4, 'pdbs', () => choices.list(1, 2, (index) => budget(choices, index))),
  }
}

/** One question of kind `preempt`: a full cluster of pods with lower and higher priorities. */
export function preemptQuestion(choices: Choices): Json {
  const { args: _args, balancedArgs: _balanced, nodeAffinityArgs: _added, ...rest } = fitQuestion(choices)
  return withPreemption(choices, { ...rest, ...choices.maybe(0.15, 'args', () => soundIgnored(choices)) })
}

/** The oracle has no answer to a configuration that is refused. */
function soundIgnored(choices: Choices): Json {
  const ignored = ignoredResources(choices)
  return JSON.stringify(ignored).match(/a b|a\/b/) ? {} : ignored
}
