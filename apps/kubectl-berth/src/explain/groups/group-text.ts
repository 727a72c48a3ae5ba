import { counted } from '@berth/text/counted'
import { listNames } from '@berth/text/list-names'
import { isDnsSubdomain } from '@berth/types'
import { printableLine } from '@berth/text/printable'
import { shellCommand } from '@berth/text/shell-command'
import { wrapSentence } from '../../output/wrap-sentence.ts'
import type { AnswerTextOptions } from '../answer-text-options.ts'
import type { PodAnswer } from '../pod-answer.ts'
import { answerText } from '../answer-text.ts'
import { type AnswerGroup, obstaclesOf } from './group-answers.ts'

/** Number of pods that are named for a group without `-o wide`. */
const SHOWN_PODS = 5

/** Renders groups of pods: for each the count, the cause, the pods, the cheapest fix, and the command that tells more. */
export function groupText(groups: readonly AnswerGroup[], options: AnswerTextOptions): string {
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  const title = `${counted(total, 'pod')}, ${counted(groups.length, 'cause')}`
  const blocks = groups.map((group) => groupLines(group, options).join('\n'))
  return `${[options.paint('strong', title), ...blocks].join('\n\n')}\n`
}

function groupLines({ cause, count, pods, answer }: AnswerGroup, options: AnswerTextOptions): readonly string[] {
  const { columns, paint, isWide } = options
  const names = pods.map(({ namespace, name }) => `${namespace}/${name}`)
  const list = listNames(names, isWide ? Infinity : SHOWN_PODS)
  const [fix] = answer.fits ? [] : answer.fixes
  const [obstacle] = obstaclesOf(answer)
  return [
    ...wrapSentence(`${counted(count, 'pod')}: ${cause}`, columns).map((line) =>
      paint(answer.fits && obstacle === undefined ? 'warn' : 'bad', line),
    ),
    ...wrapSentence(list, columns, 2),
    ...(obstacle?.commands ?? []).map((command) => `  ${printableLine(command)}`),
    ...(fix === undefined
      ? []
      : [
          ...wrapSentence(`Would help: ${fix.sentence}`, columns, 2),
          ...fix.commands.map((command) => `  ${printableLine(command)}`),
        ]),
    ...(isWide
      ? answerText(answer, options)
          .trimEnd()
          .split('\n')
          .map((line) => (line === '' ? '' : `  ${line}`))
      : detailCommand(answer)),
  ]
}

/** Returns the command that explains the first pod in full; none for a pod that is not in the cluster. */
function detailCommand({ pod, observed }: PodAnswer): readonly string[] {
  const { namespace, name } = pod
  if (observed === undefined || !isDnsSubdomain(namespace) || !isDnsSubdomain(name)) return []
  return [`  ${shellCommand('kubectl', 'berth', 'explain', 'pod', name, '-n', namespace)}`]
}
