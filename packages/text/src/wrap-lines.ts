/**
 * Breaks a text at spaces into lines of at most `width` characters; a longer word stays whole. A line that fits keeps its
 * runs of spaces, which may align columns.
 *
 * @param hang - Text before every line but the first.
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
