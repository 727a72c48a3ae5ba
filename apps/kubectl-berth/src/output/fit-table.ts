import { alignColumns, columnWidths, GAP, widthOf, wrapText } from './align-columns.ts'
import { brokenAtSlashes, narrowRows } from './narrow-rows.ts'

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
 * Aligns a table, in lines that are at most `width` wide. It leaves out columns until only those of rank 0 are left. Rows
 * that are still too wide continue on further lines. A name that alone is wider stays whole, so that it can be copied.
 *
 * @param rows - A row may have fewer cells than columns.
 * @param options.wrapsLast - Whether the last cell of each row is a sentence, which continues on further lines. A cell
 * without room beside the others starts on a line of its own.
 * @returns The lines of the header, then those of each row.
 */
export function fitRows(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
  { wrapsLast = false }: { readonly wrapsLast?: boolean } = {},
): readonly (readonly string[])[] {
  const table = [columns.map(({ header }) => header), ...rows]
  const lines = alignColumns(table)
  if (lines.every((line) => widthOf(line) <= width)) return lines.map((line) => [line])
  if (wrapsLast) {
    const hasRoom = table.every((row, index) => {
      const offset = widthOf(lines[index] ?? '') - widthOf(row.at(-1) ?? '')
      return hasRoomFor(row.at(-1) ?? '', width - offset)
    })
    if (hasRoom) return wrapLastCells(table, width)
  }
  const last = Math.max(...columns.map(({ rank }) => rank))
  if (last === 0) return wrapsLast ? wrapLastCells(table, width) : narrowRows(table, width)
  const isKept = (_: unknown, index: number): boolean => columns[index]?.rank !== last
  return fitRows(
    columns.filter(isKept),
    rows.map((row) => row.filter(isKept)),
    width,
    { wrapsLast },
  )
}

/** Returns the lines of {@link fitRows}, the header first. */
export function fitTable(...table: Parameters<typeof fitRows>): readonly string[] {
  return fitRows(...table).flat()
}

/** Aligns rows without a header. Rows that are too wide continue on further lines; nothing is left out. */
export function fitRowsWithoutHeader(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const lines = alignColumns(rows)
  return lines.every((line) => widthOf(line) <= width) ? lines : narrowRows(rows, width).flat()
}

/** Returns whether a text can be wrapped into a width without cutting a word. */
function hasRoomFor(text: string, width: number): boolean {
  if (widthOf(text) <= width) return true
  return width >= MIN_WRAPPED && text.split(' ').every((word) => widthOf(word) <= width)
}

function wrapLastCells(table: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  const widths = columnWidths(table)
  const heads = alignColumns(table.map((row) => [...row.slice(0, -1), '']))
  const isNarrow = heads.some((head) => widthOf(head) > width)
  const narrow = isNarrow
    ? narrowRows(
        table.map((row) => row.slice(0, -1)),
        width,
      )
    : []
  return table.map((row, index) => {
    const head = heads[index] ?? ''
    const text = row.at(-1) ?? ''
    const offset = widths.slice(0, row.length - 1).reduce((sum, one) => sum + one + GAP.length, 0)
    if (isNarrow || !hasRoomFor(text, width - offset))
      return [...(narrow[index] ?? [head]), ...indented(wrapNames(text, width - INDENT), INDENT)]
    const [first = '', ...rest] = wrapText(text, width - offset)
    return [`${head}${' '.repeat(offset - widthOf(head))}${first}`.trimEnd(), ...indented(rest, offset)]
  })
}

/** Wraps a text, also after the slashes of words that are too wide. */
function wrapNames(text: string, width: number): readonly string[] {
  return wrapText(text, width).flatMap((line) => brokenAtSlashes(line, width, ''))
}

function indented(lines: readonly string[], columns: number): readonly string[] {
  return lines.map((line) => (' '.repeat(columns) + line).trimEnd())
}
