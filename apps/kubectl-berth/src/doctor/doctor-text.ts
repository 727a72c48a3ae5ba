import type { Paint, Tone } from '../output/paint.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { CheckReport, CheckStatus } from './examine-cluster.ts'
import type { VerifiedFinding, VerifiedFix } from './model/verified-fix.ts'

const statusWords: Readonly<Record<CheckStatus, readonly [word: string, tone: Tone]>> = {
  ok: ['OK', 'good'],
  warning: ['WARNING', 'warn'],
  problem: ['PROBLEM', 'bad'],
  unknown: ['UNKNOWN', 'warn'],
  nothing: ['NONE', 'dim'],
}
const WORD_WIDTH = 9

/** Renders one line for each check, and below it each finding with its evidence and its fix. */
export function doctorText(
  reports: readonly CheckReport[],
  { columns, paint, isWide }: { readonly columns: number; readonly paint: Paint; readonly isWide: boolean },
): string {
  const lines = (indent: number, text: string): readonly string[] => wrapSentence(text, columns, indent)
  return reports
    .flatMap(({ title, status, examined, findings, missing }) => {
      const [word, tone] = statusWords[status]
      const ending = status === 'nothing' ? ': nothing to check' : ''
      return [
        ...titleLines(`${title}${ending}`, columns).map((text, index) =>
          index === 0 ? `${paint(tone, word)}${' '.repeat(WORD_WIDTH - word.length)}${text}` : text,
        ),
        ...(isWide ? examined.flatMap((sentence) => lines(4, `Examined ${sentence}`)) : []),
        ...findings.flatMap((finding) => findingLines(finding, lines, paint)),
        ...missing.flatMap((sentence) => lines(4, `Incomplete: ${sentence}`)),
      ]
    })
    .map((line) => `${line}\n`)
    .join('')
}

/** The first line has room for the word before it. */
function titleLines(title: string, columns: number): readonly string[] {
  const [first = '', ...rest] = wrapSentence(title, columns, WORD_WIDTH)
  return [first.trimStart(), ...rest]
}

function findingLines(
  { severity, sentence, evidence, fix }: VerifiedFinding,
  lines: (indent: number, text: string) => readonly string[],
  paint: Paint,
): string[] {
  return [
    ...lines(2, `${severity}: ${sentence}`).map((line) => paint('strong', line)),
    ...evidence.flatMap((text) => lines(4, text)),
    ...lines(4, `Fix: ${fix.sentence}`),
    // Commands stay whole, so that they can be pasted.
    ...fix.commands.map((command) => `      ${command}`),
    ...lines(4, trialText(fix)),
  ]
}

function trialText({ state, safety, reason }: VerifiedFix): string {
  if (state === 'verified') return `The API server accepted it in a dry run. ${safety}`
  return state === 'reads-only' ? safety : [reason, safety].filter((part) => part !== '').join(' ')
}
