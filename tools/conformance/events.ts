import { type ClusterState, createFramework, decide } from '@berth/fit-engine'
import type { Node, Pod } from '@berth/types'
import { answerAll, type EverythingQuestion, everythingKind, fullStateOf } from './everything.ts'
import type { VectorKind } from './vector-kind.ts'
import { fixedInput } from './scheduling-answer.ts'
import { profileOf } from './topology.ts'

/** One change after the initial list; exactly one field is set. */
interface Event {
  readonly setNode?: Node
  readonly deleteNode?: string
  readonly setPod?: Pod
  readonly deletePod?: Pod
  /** A pod with the chosen node. */
  readonly assume?: Pod
  readonly forget?: Pod
}

/** The input of an `events` vector. */
type EventsQuestion = EverythingQuestion & { readonly events?: readonly Event[] }

function apply(state: ClusterState, { setNode, deleteNode, setPod, deletePod, assume, forget }: Event): void {
  if (setNode !== undefined) state.setNode(setNode)
  if (deleteNode !== undefined) state.deleteNode(deleteNode)
  if (setPod !== undefined) state.setPod(setPod)
  if (deletePod !== undefined) state.deletePod(deletePod)
  if (assume !== undefined && state.placementOf(assume) === undefined) {
    const { nodeName = '', ...spec } = assume.spec
    state.assume({ ...assume, spec }, nodeName)
  }
  if (forget !== undefined && state.isAssumed(forget)) state.forget(forget)
}

/** Decides between the events too, so that every cache in the engine must follow them. */
function answer(input: unknown): unknown {
  const question = input as EventsQuestion
  const state = fullStateOf(question)
  const framework = frameworkOf(question)
  for (const event of question.events ?? []) {
    if (framework !== undefined) decide(framework, state, question.pod, { ...fixedInput, rejections: 'when-none-fits' })
    apply(state, event)
  }
  return answerAll(state, question)
}

function frameworkOf(question: EventsQuestion): ReturnType<typeof createFramework> | undefined {
  try {
    return createFramework({ plugins: profileOf(question) })
  } catch {
    return undefined
  }
}

/** Like `everything`, after a series of events. */
export const eventsKind: VectorKind = {
  answer,
  ...(everythingKind.comparable && { comparable: everythingKind.comparable }),
}
