import { alignColumns, widthOf } from './align-columns.ts'

/** A column of a table for people. */
export interface TableColumn {
  readonly header: string
  /** 0: always shown. Of the others, the one with the highest rank goes first when the table is too wide. */
  readonly rank: number
}

/**
 * Aligns a table and leaves out columns until it is at most `width` wide, or only those of rank 0 are left. A line is then
 * longer than the terminal rather than incomplete.
 *
 * @returns The header, then one line for each row.
 */
export function fitTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const lines = alignColumns([columns.map(({ header }) => header), ...rows])
  const last = Math.max(...columns.map(({ rank }) => rank))
  if (last === 0 || lines.every((line) => widthOf(line) <= width)) return lines
  const isKept = (_: unknown, index: number): boolean => columns[index]?.rank !== last
  return fitTable(
    columns.filter(isKept),
    rows.map((row) => row.filter(isKept)),
    width,
  )
}
