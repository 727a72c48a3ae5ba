const width = 80

/**
 * Breaks a text into lines of at most 80 columns; a longer word stays whole.
 *
 * @param indent - Columns before every line.
 * @param hang - Text before every line but the first.
 */
export function wrap(text: string, indent: number, hang = ''): string {
  const margin = ' '.repeat(indent)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (indent + longer.length > width && line !== '') {
      lines.push(line)
      line = `${hang}${word}`
    } else {
      line = longer
    }
  }
  return [...lines, line].map((line) => `${margin}${line}`.trimEnd()).join('\n')
}
