import { alignColumns, columnWidths, GAP, widthOf, wrapText } from './align-columns.ts'

/** A column of a table for people. */
export interface TableColumn {
  readonly header: string
  /** 0: always shown. Of the others, the one with the highest rank goes first when the table is too wide. */
  readonly rank: number
}

/** Minimum width of a wrapped last cell. */
const MIN_WRAPPED = 16
/** Space before a last cell on lines of its own. */
const INDENT = 2

/**
 * Aligns a table and leaves out columns until it is at most `width` wide, or only those of rank 0 are left. A line is then
 * longer than the terminal rather than incomplete.
 *
 * @param rows - A row may have fewer cells than columns.
 * @param options.wrapsLast - Whether the last cell of each row is a sentence, which continues on further lines. A cell
 * without room beside the others starts on a line of its own.
 * @returns The header, then the lines of each row.
 */
export function fitTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
  { wrapsLast = false }: { readonly wrapsLast?: boolean } = {},
): readonly string[] {
  const table = [columns.map(({ header }) => header), ...rows]
  const lines = alignColumns(table)
  if (lines.every((line) => widthOf(line) <= width)) return lines
  if (wrapsLast) {
    const hasRoom = table.every((row, index) => {
      const offset = widthOf(lines[index] ?? '') - widthOf(row.at(-1) ?? '')
      return hasRoomFor(row.at(-1) ?? '', width - offset)
    })
    if (hasRoom) return wrapLastCells(table, width)
  }
  const last = Math.max(...columns.map(({ rank }) => rank))
  if (last === 0) return wrapsLast ? wrapLastCells(table, width) : lines
  const isKept = (_: unknown, index: number): boolean => columns[index]?.rank !== last
  return fitTable(
    columns.filter(isKept),
    rows.map((row) => row.filter(isKept)),
    width,
    { wrapsLast },
  )
}

/** Returns whether a text can be wrapped into a width without cutting a word. */
function hasRoomFor(text: string, width: number): boolean {
  if (widthOf(text) <= width) return true
  return width >= MIN_WRAPPED && text.split(' ').every((word) => widthOf(word) <= width)
}

function wrapLastCells(table: readonly (readonly string[])[], width: number): readonly string[] {
  const widths = columnWidths(table)
  const heads = alignColumns(table.map((row) => [...row.slice(0, -1), '']))
  return table.flatMap((row, index) => {
    const head = heads[index] ?? ''
    const text = row.at(-1) ?? ''
    const offset = widths.slice(0, row.length - 1).reduce((sum, one) => sum + one + GAP.length, 0)
    if (!hasRoomFor(text, width - offset)) return [head, ...indented(wrapText(text, width - INDENT), INDENT)]
    const [first = '', ...rest] = wrapText(text, width - offset)
    return [`${head}${' '.repeat(offset - widthOf(head))}${first}`.trimEnd(), ...indented(rest, offset)]
  })
}

function indented(lines: readonly string[], columns: number): readonly string[] {
  return lines.map((line) => (' '.repeat(columns) + line).trimEnd())
}
