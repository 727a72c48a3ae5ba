/**
 * Breaks a text at white space into lines of at most `width` characters; a longer word stays whole. A text that fits on
 * one line is returned unchanged, because its runs of spaces may align columns; otherwise each run becomes one space.
 *
 * @param hang - Text before every line but the first; counts towards `width`.
 */
export function wrapLines(text: string, width: number, hang = ''): readonly string[] {
  if (text.length <= width && !text.includes('\n')) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length > width && line !== '') {
      lines.push(line)
      line = `${hang}${word}`
    } else line = longer
  }
  return [...lines, line]
}
