import { stripVTControlCharacters } from 'node:util'

/** Space between two columns. */
export const GAP = '   '

/**
 * Aligns cells in columns. The last cell of a line is not padded, and a line may have fewer cells than others. Colours
 * do not count as width.
 */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = columnWidths(rows)
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell))))
      .join(GAP)
      .trimEnd(),
  )
}

/** Returns the width of each column. The last cell of a row does not count. */
export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  }
  return widths
}

/** Wraps a sentence at `width` columns. A longer word gets its own line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** Returns the width of a text in columns. Kubernetes names are ASCII, so each character counts as one. */
export function widthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
