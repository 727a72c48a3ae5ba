import { alignColumns, GAP, widthOf } from './align-columns.ts'

/** Minimum width of a column of names that others stand beside. */
const MIN_HEAD = 10
/** Space before what continues a row. */
const INDENT = 2

/**
 * Lays out the rows of a table that is wider than the terminal. A name that is too long for its column gets lines of its own,
 * and the other cells follow below in their columns. Where even those are too wide, each row continues on further lines.
 *
 * @returns The lines of each row. Nothing is left out.
 */
export function narrowRows(table: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  const rest = alignColumns(table.map((row) => row.slice(1)))
  const limit = width - GAP.length - Math.max(0, ...rest.map(widthOf))
  if (limit < MIN_HEAD) return table.map((row) => flowedCells(row, width))
  const headWidth = columnWidthWithin(
    table.map(([head = '']) => head),
    limit,
  )
  return table.map(([head = ''], index) => headedLines(head, rest[index] ?? '', { headWidth, width }))
}

/** Returns the width of the widest of the texts that are at most `limit` wide. */
export function columnWidthWithin(texts: readonly string[], limit: number): number {
  return Math.max(0, ...texts.map(widthOf).filter((one) => one <= limit))
}

/**
 * Returns the line of a name and what stands beside it. A name that is wider than its column is on lines of its own above.
 *
 * @param options.headWidth - Width of the column of names.
 * @param options.indent - What begins the further lines of a name. Default: spaces.
 */
export function headedLines(
  head: string,
  rest: string,
  { headWidth, width, indent = ' '.repeat(INDENT + leadingSpaces(head)) }: HeadedLinesOptions,
): readonly string[] {
  if (widthOf(head) <= headWidth) return [`${head}${' '.repeat(headWidth - widthOf(head))}${GAP}${rest}`.trimEnd()]
  const below = rest === '' ? [] : [`${' '.repeat(headWidth)}${GAP}${rest}`.trimEnd()]
  return [...brokenAtSlashes(head, width, indent), ...below]
}

interface HeadedLinesOptions {
  readonly headWidth: number
  readonly width: number
  readonly indent?: string
}

function flowedCells(cells: readonly string[], width: number): readonly string[] {
  const indent = ' '.repeat(INDENT + leadingSpaces(cells[0] ?? ''))
  const lines: string[] = []
  for (const cell of cells) {
    if (cell === '') continue
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + GAP.length + widthOf(cell) <= width)
      lines[lines.length - 1] = `${last}${GAP}${cell}`
    else lines.push(...brokenAtSlashes(last === undefined ? cell : indent + cell, width, indent))
  }
  return lines
}

/**
 * Breaks a text that is too wide, such as `namespace/pod/container`, after slashes. A name stays whole, so that it can be copied,
 * also when it alone is wider than the terminal.
 */
export function brokenAtSlashes(text: string, width: number, indent: string): readonly string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  for (const part of text.split(/(?<=\/)/)) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + widthOf(part) <= width) lines[lines.length - 1] = last + part
    else lines.push(last === undefined ? part : indent + part)
  }
  return lines
}

function leadingSpaces(text: string): number {
  return text.length - text.trimStart().length
}
