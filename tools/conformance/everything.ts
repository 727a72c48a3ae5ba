import { defaultPlugins } from '@berth/fit-engine'
import { stateOf } from './fit.ts'
import type { VectorKind } from './vector-kind.ts'
import { answerWith, storeTopology, comparableTopology, type TopologyQuestion } from './topology.ts'
import { storeVolumes, comparableVolumes, type VolumesQuestion } from './volumes.ts'

/** The input of an `everything` vector. */
export type EverythingQuestion = TopologyQuestion & VolumesQuestion

const FILTERS: ReadonlySet<string> = new Set(
  defaultPlugins().flatMap(({ plugin }) => (plugin.filter === undefined ? [] : plugin.name)),
)

/** Creates the cluster state that the question describes. */
export function fullStateOf(question: EverythingQuestion): ReturnType<typeof stateOf> {
  const state = stateOf(question)
  storeTopology(state, question)
  storeVolumes(state, question)
  return state
}

/** Runs all filters and scores for the question's pod on the given state. */
export function answerAll(state: ReturnType<typeof stateOf>, question: EverythingQuestion): unknown {
  return answerWith(FILTERS, state, question)
}

function answer(input: unknown): unknown {
  const question = input as EverythingQuestion
  return answerAll(fullStateOf(question), question)
}

/** All thirteen filters together and all scores. */
export const everythingKind: VectorKind = {
  answer,
  comparable: (answer) => comparableTopology(comparableVolumes(answer)),
}
