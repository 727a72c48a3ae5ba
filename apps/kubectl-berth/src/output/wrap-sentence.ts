import { printableLine } from '@berth/text/printable'
import { wrapText } from './align-columns.ts'

/**
 * Wraps a text from a server or a user into lines of at most `width` columns, each after `indent` spaces. Control
 * characters are left out. A longer word gets its own line.
 */
export function wrapSentence(text: string, width: number, indent = 0): readonly string[] {
  return wrapText(printableLine(text), width - indent).map((line) => ' '.repeat(indent) + line)
}
