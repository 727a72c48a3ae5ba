import { type ClusterState, createFramework, decide, type Framework } from '@berth/fit-engine'
import type { Node, Pod } from '@berth/types'
import { comparableEverything } from './comparable.ts'
import { profileOf, type SchedulingQuestion, stateOf } from './question.ts'
import { answerAll } from './scheduling.ts'
import { fixedInput } from './scheduling-answer.ts'
import type { VectorKind } from './vector-kind.ts'

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
  const question = input as SchedulingQuestion & { readonly events?: readonly Event[] }
  const state = stateOf(question)
  const framework = frameworkOf(question)
  for (const event of question.events ?? []) {
    if (framework !== undefined) decide(framework, state, question.pod, { ...fixedInput, rejections: 'when-none-fits' })
    apply(state, event)
  }
  return answerAll(question, state)
}

function frameworkOf(question: SchedulingQuestion): Framework | undefined {
  try {
    return createFramework({ plugins: profileOf(question) })
  } catch {
    return undefined
  }
}

/** Like `everything`, after a series of events. */
export const eventsKind: VectorKind = { answer, comparable: comparableEverything }
