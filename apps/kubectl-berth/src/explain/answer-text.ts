import { counted } from '@berth/text/counted'
import type { Holder, ResourceUsage } from '@berth/fit-engine'
import { printableLine } from '@berth/text/printable'
import { fitRows, fitRowsWithoutHeader } from '../output/fit-table.ts'
import type { Tone } from '../output/paint.ts'
import { shownAmount } from '../output/shown-amount.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { AnswerTextOptions } from './answer-text-options.ts'
import { causeBlock } from './cause-block.ts'
import type { Obstacle } from './observed/find-obstacles.ts'
import { statusSentences } from './observed/observed-status.ts'
import { narrowingSteps } from './narrowing-steps.ts'
import type { FixAnswer, NodeAnswer, PodAnswer } from './pod-answer.ts'

/** Number of nodes that are shown without `-o wide`, the nearest to fitting first. */
const SHOWN_NODES = 20
const SHOWN_HOLDERS = 3
const SHOWN_FIXES = 5
const FIX_HEADING = 'WHAT WOULD HELP (cheapest first; each was tried on a copy of the cluster)'
const INDENT = '  '

/** Renders an answer: what the API says about the pod, the verdict, the numbers of each node, why rules and volumes keep nodes away, the nodes left after each filter, and the fixes. */
export function answerText(answer: PodAnswer, options: AnswerTextOptions): string {
  const blocks = [
    observedBlock(answer, options),
    headline(answer, options),
    nodeBlock(answer, options),
    causeBlock(answer, options),
    funnelBlock(answer, options),
    fixBlock(answer, options),
  ]
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`
}

function headline(answer: PodAnswer, { paint, columns }: AnswerTextOptions): string[] {
  const { pod, asks, feasible, best, nodes, message, group, disagreement, unsupported, notEvaluated, profile } = answer
  const heldBack = holdText(answer)
  const asked =
    asks.size === 0
      ? 'asks for no extended resource'
      : `asks for ${[...asks].map(([name, units]) => `${name}: ${units}`).join(', ')}`
  const total = counted(nodes.length, 'node')
  const place =
    notEvaluated !== undefined
      ? `was not evaluated: ${notEvaluated}`
      : feasible.length === 0
        ? `fits on none of ${total}`
        : `fits on ${feasible.length} of ${total}, best on ${best.slice(0, 3).join(', ')}`
  const now = pod.nodeName === undefined ? '' : ` ${placeText(answer)}; this shows where it would be placed again.`
  const sentence = `Pod ${pod.namespace}/${pod.name} ${asked} and ${place}.${now}`
  const sentences: readonly (readonly [Tone, string | undefined])[] = [
    [feasible.length > 0 ? 'good' : 'bad', sentence],
    ['dim', message === '' ? undefined : message],
    ['bad', heldBack === undefined ? undefined : `The pod is ${heldBack}.`],
    ['warn', group === undefined ? undefined : `The pod is placed with its group: ${group}.`],
    ['warn', disagreement],
    ['dim', profile?.sentence],
    ...unsupported.map((feature) => ['warn', `Not evaluated: ${feature}.`] as const),
  ]
  return sentences.flatMap(([tone, text]) =>
    text === undefined ? [] : wrapSentence(text, columns).map((line) => paint(tone, line)),
  )
}

/** A scheduling gate is among the obstacles of a pod that is in the cluster. */
function holdText({ heldBack, observed }: PodAnswer): string | undefined {
  return observed?.obstacles.some(({ kind }) => kind === 'scheduling-gate') === true ? undefined : heldBack
}

function placeText({ pod, observed }: PodAnswer): string {
  return observed?.phase === 'Running' ? `It runs on ${pod.nodeName} now` : `It is assigned to ${pod.nodeName}`
}

function observedBlock({ observed, hindrances = [], pod }: PodAnswer, options: AnswerTextOptions): string[] {
  const { paint, nowMs } = options
  if (observed === undefined)
    return hindrances.length === 0 ? [] : [paint('strong', 'STATUS'), ...obstacleLines(hindrances, options)]
  const { phase, obstacles } = observed
  if (pod.nodeName !== undefined && phase !== 'Pending' && obstacles.length === 0) return []
  return [
    paint('strong', 'STATUS'),
    ...statusSentences(observed, nowMs).flatMap((sentence) => indentedLines(sentence, options)),
    ...obstacleLines(obstacles, options),
  ]
}

function obstacleLines(obstacles: readonly Obstacle[], options: AnswerTextOptions): string[] {
  return obstacles.flatMap(({ sentence, commands }) => [
    ...indentedLines(sentence, options, (line) => options.paint('bad', line)),
    // A command is not wrapped, so that it can be copied.
    ...commands.map((command) => INDENT + printableLine(command)),
  ])
}

function indentedLines(
  sentence: string,
  { columns }: AnswerTextOptions,
  paintLine: (line: string) => string = (line) => line,
): string[] {
  return wrapSentence(sentence, columns - INDENT.length).map((line) => INDENT + paintLine(line))
}

const nodeColumns = [
  { header: 'NODE', rank: 0 },
  { header: 'FITS', rank: 2 },
  { header: 'RESOURCE', rank: 0 },
  { header: 'ASKS', rank: 1 },
  { header: 'HAS', rank: 3 },
  { header: 'FREE', rank: 0 },
  { header: 'HELD BY', rank: 0 },
]

function nodeBlock({ nodes }: PodAnswer, options: AnswerTextOptions): string[] {
  const { paint, isWide, tableColumns } = options
  if (nodes.length === 0) return []
  const shown = isWide ? nodes : nodes.slice(0, SHOWN_NODES)
  const cells = shown.flatMap((node) => nodeRows(node, options))
  const [header = [], ...rows] = fitRows(nodeColumns, cells, tableColumns, { wrapsLast: true })
  const more = nodes.length - shown.length
  return [
    ...header.map((line) => paint('strong', line)),
    ...rows.flat(),
    ...(more > 0 ? [paint('dim', `… and ${more} more nodes, further from fitting: -o wide shows all`)] : []),
  ]
}

function nodeRows({ node, verdict, reasons, resources }: NodeAnswer, options: AnswerTextOptions): string[][] {
  const fits = verdict === 'fits' ? 'yes' : 'no'
  const named = new Set(resources.map(({ resourceName }) => `Insufficient ${resourceName}`))
  const others = reasons.filter((reason) => !named.has(reason))
  const rows = [
    ...resources.map((standing) => standingCells(standing, options)),
    ...others.map((reason) => [printableLine(reason)]),
  ]
  return (rows.length === 0 ? [['']] : rows).map((cells, index) =>
    index === 0 ? [node, fits, ...cells] : ['', '', ...cells],
  )
}

function standingCells(
  { resourceName, asks, has, free, heldBy }: ResourceUsage,
  { isWide, hasUnknownPods = false }: AnswerTextOptions,
): string[] {
  const amounts = [asks, has, free].map((amount) => shownAmount(resourceName, amount))
  const holders = heldBy
    .slice(0, isWide ? heldBy.length : SHOWN_HOLDERS)
    .map((holder) => holderText(holder, resourceName))
  const more = heldBy.length - holders.length
  const text = [...holders, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const none = has === 0n ? 'not offered here' : hasUnknownPods ? 'unknown' : '<none>'
  return [resourceName, ...amounts, text === '' ? none : text]
}

function holderText({ namespace, name, amount }: Holder, resourceName: string): string {
  return `${namespace}/${name} (${shownAmount(resourceName, amount)})`
}

function funnelBlock(answer: PodAnswer, { paint, tableColumns }: AnswerTextOptions): string[] {
  const narrowing = narrowingSteps(answer)
  if (narrowing.length === 0) return []
  const rows = narrowing.map(({ plugin, before, after }) => [`  ${plugin}`, `${before} -> ${after}`])
  return [paint('strong', 'NODES LEFT AFTER EACH FILTER'), ...fitRowsWithoutHeader(rows, tableColumns)]
}

function fixBlock({ fixes, fits, notEvaluated }: PodAnswer, { paint, columns, isWide }: AnswerTextOptions): string[] {
  if (fits || notEvaluated !== undefined) return []
  if (fixes.length === 0) return ['Berth found no change that makes the pod fit.']
  const shown = isWide ? fixes : fixes.slice(0, SHOWN_FIXES)
  const more = fixes.length - shown.length
  return [
    ...wrapSentence(FIX_HEADING, columns).map((line) => paint('strong', line)),
    ...shown.flatMap((fix, index) => fixLines(fix, index + 1, columns)),
    ...(more > 0 ? [paint('dim', `… and ${more} more: -o wide shows all`)] : []),
  ]
}

function fixLines({ sentence, commands, note }: FixAnswer, position: number, columns: number): string[] {
  const indent = 5
  const [first = '', ...rest] = wrapSentence(sentence, columns, indent)
  return [
    `  ${position}.`.padEnd(indent) + first.trimStart(),
    ...rest,
    ...(note === undefined ? [] : wrapSentence(`(${note})`, columns, indent)),
    // A command is not wrapped, so that it can be copied.
    ...commands.map((command) => ' '.repeat(indent) + printableLine(command)),
  ]
}
