import { wrapLines } from '@berth/text/wrap-lines'

const WIDTH = 80

/**
 * Breaks a text into lines of at most 80 columns; a longer word stays whole.
 *
 * @param indent - Columns before every line.
 * @param hang - Text before every line but the first.
 */
export function wrap(text: string, indent: number, hang = ''): string {
  const margin = ' '.repeat(indent)
  return wrapLines(text, WIDTH - indent, hang)
    .map((line) => `${margin}${line}`.trimEnd())
    .join('\n')
}
