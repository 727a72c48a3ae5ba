import { withPreemption } from './cluster-question.ts'
import type { Json } from './json.ts'
import type { Choices } from './random.ts'
import { topologyQuestion } from './topology-question.ts'
import { addVolumes } from './volume-question.ts'

/** Generates a question of kind `everything`: all filters and scores. */
export function everythingQuestion(choices: Choices): Json {
  const question = topologyQuestion(choices)
  return choices.chance(0.5) ? addVolumes(choices, question) : question
}

/** Generates a question of kind `preempt-everything`. */
export function preemptEverythingQuestion(choices: Choices): Json {
  const {
    args: _args,
    balancedArgs: _balanced,
    nodeAffinityArgs: _added,
    podTopologySpreadArgs: _spread,
    interPodAffinityArgs: _affinity,
    ...question
  } = everythingQuestion(choices)
  return withPreemption(choices, question)
}
