import { fitQuestion, preemptQuestion } from './cluster-question.ts'
import { delegationQuestion } from './delegation-question.ts'
import { eventsQuestion } from './events-question.ts'
import { everythingQuestion, preemptEverythingQuestion } from './everything-question.ts'
import { withExtremes } from './extreme-values.ts'
import { withOddNames } from './odd-names.ts'
import { podRequestQuestion } from './pod-request-question.ts'
import { quantityQuestion } from './quantity-question.ts'
import type { Choices } from './random.ts'
import { topologyQuestion } from './topology-question.ts'
import { volumesQuestion } from './volume-question.ts'

/** One kind of question, and how often it is asked compared with the others. */
export interface QuestionMaker {
  readonly make: (choices: Choices) => unknown
  readonly share: number
}

function oddly(make: (choices: Choices) => unknown): (choices: Choices) => unknown {
  return (choices) => withOddNames(choices, withExtremes(choices, make(choices)))
}

/** Every kind of question that the oracle answers. */
export const questionMakers: ReadonlyMap<string, QuestionMaker> = new Map<string, QuestionMaker>([
  ['quantity', { make: quantityQuestion, share: 6 }],
  ['podrequest', { make: oddly(podRequestQuestion), share: 4 }],
  ['fit', { make: oddly(fitQuestion), share: 4 }],
  ['preempt', { make: oddly(preemptQuestion), share: 2 }],
  ['topology', { make: oddly(topologyQuestion), share: 2 }],
  ['volumes', { make: oddly(volumesQuestion), share: 2 }],
  ['everything', { make: oddly(everythingQuestion), share: 2 }],
  ['events', { make: oddly(eventsQuestion), share: 2 }],
  ['delegation', { make: (choices) => withOddNames(choices, delegationQuestion(choices)), share: 2 }],
  ['preempt-everything', { make: oddly(preemptEverythingQuestion), share: 2 }],
])

/** How many questions of each kind make up `count`; every kind gets at least one. */
export function sharesOf(count: number, kinds: readonly string[]): ReadonlyMap<string, number> {
  const total = kinds.reduce((sum, kind) => sum + (questionMakers.get(kind)?.share ?? 0), 0)
  return new Map(
    kinds.map((kind) => [kind, Math.max(1, Math.ceil((count * (questionMakers.get(kind)?.share ?? 0)) / total))]),
  )
}
