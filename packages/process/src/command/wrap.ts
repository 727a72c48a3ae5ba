import { wrapLines } from '@berth/text/wrap-lines'

/**
 * Breaks a text into lines of at most `width` columns; a longer word stays whole.
 *
 * @param options.indent - Columns before every line. Default: 0.
 * @param options.hang - Text before every line but the first. Default: none.
 */
export function wrap(
  text: string,
  { width, indent = 0, hang = '' }: { readonly width: number; readonly indent?: number; readonly hang?: string },
): string {
  const margin = ' '.repeat(indent)
  return wrapLines(text, width - indent, hang)
    .map((line) => `${margin}${line}`.trimEnd())
    .join('\n')
}
