import { type ClusterState, createFramework, decide } from '@berth/fit-engine'
import type { Node, Pod } from '@berth/types'
import { answerAll, type EverythingQuestion, everythingKind, wholeStateOf } from './everything.ts'
import type { Kind } from './kind.ts'
import { fixedInput } from './scheduling-answer.ts'
import { profileOf } from './topology.ts'

/** One change after the first listing; exactly one field is there. */
interface Event {
  readonly setNode?: Node
  readonly deleteNode?: string
  readonly setPod?: Pod
  readonly deletePod?: Pod
  /** With the node that was chosen. */
  readonly assume?: Pod
  readonly forget?: Pod
}

/** `input` of an `events` vector. */
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

/** The question is asked between the events, too, so that whatever the engine remembers has to follow them. */
function answer(input: unknown): unknown {
  const question = input as EventsQuestion
  const state = wholeStateOf(question)
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

/** `everything`, after nodes and pods came, changed and went. */
export const eventsKind: Kind = {
  answer,
  ...(everythingKind.contract && { contract: everythingKind.contract }),
}
