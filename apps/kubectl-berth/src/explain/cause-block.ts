import { listNames } from '@berth/text/list-names'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { AnswerTextOptions } from './answer-text-options.ts'
import type { NodeAnswer, PodAnswer } from './pod-answer.ts'

/** Number of sentences that are shown for a node, without `-o wide`. */
const SHOWN_CAUSES = 5
/** Number of different lists of causes that are shown, and of nodes that are named for each. */
const SHOWN_GROUPS = 5
const SHOWN_NAMES = 5

/** Returns the lines that name the causes of each node. Nodes with the same causes share an entry. Empty without causes. */
export function causeBlock(
  { nodes }: PodAnswer,
  { paint, columns, isWide }: Pick<AnswerTextOptions, 'paint' | 'columns' | 'isWide'>,
): string[] {
  const groups = Map.groupBy(
    nodes.filter((node) => sentencesOf(node).length > 0),
    (node) => sentencesOf(node).join('\n'),
  )
  if (groups.size === 0) return []
  const all = [...groups.values()]
  const shown = isWide ? all : all.slice(0, SHOWN_GROUPS)
  return [
    paint('strong', 'CAUSES'),
    ...shown.flatMap((group) => groupLines(group, columns, isWide)),
    ...(all.length > shown.length ? [paint('dim', '… -o wide shows the causes of all nodes')] : []),
  ]
}

function sentencesOf({ causes, volumes }: NodeAnswer): readonly string[] {
  return [...causes, ...volumes].map(({ sentence }) => sentence)
}

function groupLines(group: readonly NodeAnswer[], columns: number, isWide: boolean): string[] {
  const names = group.map(({ node }) => node)
  const title = `${listNames(names, isWide ? Infinity : SHOWN_NAMES)}:`
  const [first] = group
  const causes = first === undefined ? [] : sentencesOf(first)
  const shown = isWide ? causes : causes.slice(0, SHOWN_CAUSES)
  const more = causes.length - shown.length
  return [
    ...wrapSentence(title, columns, 2),
    ...shown.flatMap((sentence) => wrapSentence(sentence, columns, 4)),
    ...(more > 0 ? [`    … and ${more} more: -o wide shows all`] : []),
  ]
}
