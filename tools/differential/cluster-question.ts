import type { Json } from './json.ts'
import { randomNode } from './random-node.ts'
import { candidatePod, nodeAffinity, randomPod } from './random-pod.ts'
import { podLabelSelector } from './shared-values.ts'
import { balancedArgs, fitArgs, ignoredResources } from './plugin-args.ts'
import type { Choices } from './random.ts'

/** Returns a number of nodes: mostly few, so that pods interact; sometimes enough for indexes and columns. */
function nodeCount(choices: Choices): number {
  if (choices.chance(0.96)) return choices.integer(1, 6)
  return choices.chance(0.9) ? choices.integer(7, 24) : choices.integer(65, 90)
}

/** Returns pods with a nominated node. Sometimes one is the pod to schedule itself, or its node does not exist. */
function nominatedPods(choices: Choices, candidate: Json, nodes: number): Json[] {
  const includesCandidate = choices.chance(0.1)
  return choices.list(1, 2, (index) => {
    const made = includesCandidate && index === 0 ? candidate : randomPod(choices, `w${index}`)
    const nominatedNodeName = `n${choices.integer(0, choices.chance(0.95) ? nodes - 1 : nodes)}`
    return { ...made, status: { nominatedNodeName } }
  })
}

/** Returns the name of a node; sometimes of a deleted one. */
function nodeName(choices: Choices, count: number): string {
  return choices.chance(0.02) ? 'gone' : `n${choices.integer(0, count - 1)}`
}

/** Generates a question of kind `fit`. */
export function fitQuestion(choices: Choices): Json {
  const count = nodeCount(choices)
  const nodes = Array.from({ length: count }, (_, index) => randomNode(choices, index))
  const pods = choices.list(0, Math.max(10, count), (index) =>
    randomPod(choices, `b${index}`, choices.chance(0.95) ? nodeName(choices, count) : undefined),
  )
  const candidate = candidatePod(choices)
  return {
    nodes,
    pods,
    pod: candidate,
    ...choices.maybe(0.2, 'nominatedPods', () => nominatedPods(choices, candidate, count)),
    ...choices.maybe(0.4, 'args', () => fitArgs(choices)),
    ...choices.maybe(0.15, 'balancedArgs', () => balancedArgs(choices)),
    ...choices.maybe(0.12, 'nodeAffinityArgs', () => ({ addedAffinity: nodeAffinity(choices) })),
  }
}

function disruptionBudget(choices: Choices, index: number): Json {
  return {
    metadata: { name: `pdb${index}`, namespace: choices.pick(['default', 'default', 'other']) },
    spec: choices.maybe(0.95, 'selector', () => (choices.chance(0.95) ? podLabelSelector(choices) : {})),
    status: {
      ...choices.maybe(0.95, 'disruptionsAllowed', () => choices.integer(0, 2)),
      ...choices.maybe(0.15, 'disruptedPods', () => ({ [`b${choices.integer(0, 9)}`]: '2026-01-01T00:00:00Z' })),
    },
  }
}

/** Returns the pod as terminating, sometimes because it was preempted. */
function terminating(choices: Choices, made: Json): Json {
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

/** Adds what preemption depends on: priorities, disruption budgets, terminating pods and a nominated node. */
export function withPreemption(choices: Choices, question: Json): Json {
  const candidate = question['pod'] as Json
  const pods = (question['pods'] as Json[]).map((made) => (choices.chance(0.06) ? terminating(choices, made) : made))
  const [first, ...others] = pods
  // At most one pod has no start time: among several, it would be random which one counts as started first.
  const { startTime: _startTime, ...notStarted } = (first?.['status'] ?? {}) as Json
  const nominatedNodeName = `n${choices.integer(0, (question['nodes'] as Json[]).length - 1)}`
  return {
    ...question,
    pods: first !== undefined && choices.chance(0.1) ? [{ ...first, status: notStarted }, ...others] : pods,
    pod: {
      ...candidate,
      status: choices.maybe(0.15, 'nominatedNodeName', () => nominatedNodeName),
      spec: { ...(candidate['spec'] as Json), priority: choices.pick([5, 10, 50]) },
    },
    ...choices.maybe(0.4, 'pdbs', () => choices.list(1, 2, (index) => disruptionBudget(choices, index))),
  }
}

/** Generates a question of kind `preempt`: a full cluster with pods of lower and higher priority. */
export function preemptQuestion(choices: Choices): Json {
  const { args: _args, balancedArgs: _balanced, nodeAffinityArgs: _added, ...rest } = fitQuestion(choices)
  return withPreemption(choices, { ...rest, ...choices.maybe(0.15, 'args', () => validIgnoredResources(choices)) })
}

/** Returns valid ignored resources only: the oracle's answer for this kind does not cover a refused configuration. */
function validIgnoredResources(choices: Choices): Json {
  const ignored = ignoredResources(choices)
  return JSON.stringify(ignored).match(/a b|a\/b/) ? {} : ignored
}
