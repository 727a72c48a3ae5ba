import { printableText } from '@berth/text/printable'
import { BerthError } from '@berth/types'

/**
 * Returns the text that a failed program prints: "message. hint (CODE)".
 *
 * Control and bidi characters of names and answers are left out.
 *
 * @param isVerbose - Adds the stack and the causes.
 * @param layOut - Lays out the first line.
 * @returns Ends with a line feed.
 */
export function failureText(
  error: unknown,
  isVerbose: boolean,
  layOut: (line: string) => string = (line) => line,
): string {
  return printableText(rawText(error, isVerbose, layOut))
}

function rawText(error: unknown, isVerbose: boolean, layOut: (line: string) => string): string {
  if (!(error instanceof BerthError)) {
    return `unexpected failure, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
  }
  const hint = error.hint === undefined ? '' : ` ${error.hint}`
  const line = layOut(`${error.message}${/[.!?]$/.test(error.message) ? '' : '.'}${hint} (${error.code})`)
  return isVerbose ? `${line}\n${stackOf(error)}\n` : `${line}\n`
}

function stackOf(error: Error): string {
  const causes: string[] = []
  let current: unknown = error
  for (let depth = 0; current instanceof Error && depth < 10; depth++) {
    causes.push(`${depth === 0 ? '' : 'caused by '}${current.stack ?? current.message}`)
    current = current.cause
  }
  return causes.join('\n')
}
