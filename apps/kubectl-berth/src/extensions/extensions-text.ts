import { listNames } from '@berth/text/list-names'
import { printableLine } from '@berth/text/printable'
import { fitRows } from '../output/fit-table.ts'
import type { Paint, Tone } from '../output/paint.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { Extension, ExtensionHealth } from './model/extension.ts'
import type { SurveyResult } from './survey-cluster.ts'

/** Users that are named; `-o wide` names all. */
const NAMED_USERS = 3
const INDENT = 4
const extensionColumns = ['NAME', 'USED', 'HEALTH'].map((header) => ({ header, rank: 0 }))

const useWords = { used: 'yes', unused: 'no', unknown: 'unknown' } as const
const healthTones: Readonly<Record<ExtensionHealth, Tone>> = { healthy: 'good', unhealthy: 'bad', unknown: 'dim' }

/** Options of {@link extensionsText}. */
export interface ExtensionsTextOptions {
  /** Width into which sentences are wrapped. */
  readonly columns: number
  /** Width into which tables fit. */
  readonly tableColumns: number
  readonly paint: Paint
  /** Names every user. */
  readonly isWide: boolean
}

/** Renders one block for each kind of which an extension was found or something is missing, and names the others. */
export function extensionsText(results: readonly SurveyResult[], options: ExtensionsTextOptions): string {
  const shown = results.filter(({ extensions, missing }) => extensions.length > 0 || missing.length > 0)
  const absent = results.filter((result) => !shown.includes(result))
  const blocks = shown.map((result) => blockText(result, options))
  const none = absent.map(({ title }) => title).join(', ')
  return [...blocks, ...(absent.length === 0 ? [] : [wrapSentence(`None found: ${none}.`, options.columns).join('\n')])]
    .map((block) => `${block}\n`)
    .join('\n')
}

function blockText({ title, extensions, missing }: SurveyResult, options: ExtensionsTextOptions): string {
  const { paint, columns, tableColumns } = options
  const [header = [], ...rows] = fitRows(
    extensionColumns,
    extensions.map(({ name, use, health }) => [printableLine(name), useWords[use], paint(healthTones[health], health)]),
    tableColumns,
  )
  const details = (sentences: readonly string[]): string[] =>
    sentences.flatMap((sentence) => wrapSentence(sentence, columns, INDENT))
  return [
    ...wrapSentence(title.toUpperCase(), columns).map((line) => paint('strong', line)),
    ...(extensions.length === 0 ? ['none in what could be read'] : header.map((line) => paint('dim', line))),
    ...rows.flatMap((row, index) => {
      const extension = extensions[index]
      return extension === undefined ? [] : [...row, ...details(sentencesOf(extension, options))]
    }),
    ...details(missing.map((sentence) => `Incomplete: ${sentence}`)),
  ].join('\n')
}

function sentencesOf({ usedBy, evidence }: Extension, { isWide }: ExtensionsTextOptions): readonly string[] {
  if (usedBy.length === 0) return evidence
  return [`Used by ${listNames(usedBy, isWide ? Infinity : NAMED_USERS)}.`, ...evidence]
}
