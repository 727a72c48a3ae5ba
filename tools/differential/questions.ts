import { fitQuestion, preemptQuestion } from './cluster-question.ts'
import { delegationQuestion } from './delegation-question.ts'
import { eventsQuestion } from './events-question.ts'
import { everythingQuestion, preemptEverythingQuestion } from './everything-question.ts'
import { withExtremes } from './extreme-values.ts'
import { withObjectPropertyNames } from './object-property-names.ts'
import { podRequestQuestion } from './pod-request-question.ts'
import { quantityQuestion } from './quantity-question.ts'
import type { Choices } from './random.ts'
import { topologyQuestion } from './topology-question.ts'
import { volumeHintsQuestion } from './volume-hints-question.ts'
import { volumesQuestion } from './volume-question.ts'

/** Generates questions of one kind. */
export interface QuestionMaker {
  readonly make: (choices: Choices) => unknown
  /** Relative number of questions of this kind. */
  readonly share: number
}

function withOddities(make: (choices: Choices) => unknown): (choices: Choices) => unknown {
  return (choices) => withObjectPropertyNames(choices, withExtremes(choices, make(choices)))
}

/** Every kind of question that the oracle supports. */
export const questionMakers: ReadonlyMap<string, QuestionMaker> = new Map<string, QuestionMaker>([
  ['quantity', { make: quantityQuestion, share: 6 }],
  ['podrequest', { make: withOddities(podRequestQuestion), share: 4 }],
  ['fit', { make: withOddities(fitQuestion), share: 4 }],
  ['preempt', { make: withOddities(preemptQuestion), share: 2 }],
  ['topology', { make: withOddities(topologyQuestion), share: 2 }],
  ['volumes', { make: withOddities(volumesQuestion), share: 2 }],
  ['volume-hints', { make: volumeHintsQuestion, share: 2 }],
  ['everything', { make: withOddities(everythingQuestion), share: 2 }],
  ['events', { make: withOddities(eventsQuestion), share: 2 }],
  ['delegation', { make: (choices) => withObjectPropertyNames(choices, delegationQuestion(choices)), share: 2 }],
  ['preempt-everything', { make: withOddities(preemptEverythingQuestion), share: 2 }],
])

/** Distributes `count` questions over the kinds by their shares; every kind gets at least one. */
export function countsByKind(count: number, kinds: readonly string[]): ReadonlyMap<string, number> {
  const total = kinds.reduce((sum, kind) => sum + (questionMakers.get(kind)?.share ?? 0), 0)
  return new Map(
    kinds.map((kind) => [kind, Math.max(1, Math.ceil((count * (questionMakers.get(kind)?.share ?? 0)) / total))]),
  )
}
