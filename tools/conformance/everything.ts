import { defaultPlugins } from '@berth/fit-engine'
import { stateOf } from './fit.ts'
import type { Kind } from './kind.ts'
import { answerWith, storeTopology, topologyContract, type TopologyQuestion } from './topology.ts'
import { storeVolumes, volumesContract, type VolumesQuestion } from './volumes.ts'

/** `input` of an `everything` vector. */
export type EverythingQuestion = TopologyQuestion & VolumesQuestion

const FILTERS: ReadonlySet<string> = new Set(
  defaultPlugins().flatMap(({ plugin }) => (plugin.filter === undefined ? [] : plugin.name)),
)

/** The state that the question describes. */
export function wholeStateOf(question: EverythingQuestion): ReturnType<typeof stateOf> {
  const state = stateOf(question)
  storeTopology(state, question)
  storeVolumes(state, question)
  return state
}

/** What all filters and scorers say about the question's pod on a state that is filled. */
export function answerAll(state: ReturnType<typeof stateOf>, question: EverythingQuestion): unknown {
  return answerWith(FILTERS, state, question)
}

function answer(input: unknown): unknown {
  const question = input as EverythingQuestion
  return answerAll(wholeStateOf(question), question)
}

/** All thirteen filters together, with all scores. */
export const everythingKind: Kind = { answer, contract: (answer) => topologyContract(volumesContract(answer)) }
