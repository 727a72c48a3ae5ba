/** Sizes of the map in CSS pixels. */
export interface MapLayout {
  readonly rowHeight: number
  readonly columnWidth: number
  /** Width of the column with the names of the nodes. */
  readonly nameWidth: number
  readonly headerHeight: number
}

/** A part of a longer list: `from` up to, and without, `to`. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A cell: row and column in the order of the map. */
export interface CellPosition {
  readonly row: number
  readonly column: number
}

/** Rows with names and percentages. */
export const wideLayout: MapLayout = { rowHeight: 22, columnWidth: 132, nameWidth: 220, headerHeight: 26 }
/** The same for a narrow window. */
export const narrowLayout: MapLayout = { ...wideLayout, columnWidth: 104, nameWidth: 120 }
/** Thin rows without text, for an overview. */
export const denseLayout: MapLayout = { rowHeight: 4, columnWidth: 132, nameWidth: 0, headerHeight: 26 }

/** Returns which of `count` items of one size are visible. */
export function visibleRange(scroll: number, viewport: number, size: number, count: number): Range {
  const from = Math.min(count, Math.max(0, Math.floor(scroll / size)))
  return { from, to: Math.min(count, Math.ceil((scroll + viewport) / size)) }
}

/** Returns the smallest scroll position change that shows an item completely. */
export function scrollToShow(scroll: number, viewport: number, size: number, index: number): number {
  const start = index * size
  if (start < scroll) return start
  return start + size > scroll + viewport ? start + size - viewport : scroll
}

/** Returns the cell after a key; undefined for keys that do not move. */
export function moved(
  { row, column }: CellPosition,
  key: string,
  { rows, columns, page }: { readonly rows: number; readonly columns: number; readonly page: number },
): CellPosition | undefined {
  const at = (nextRow: number, nextColumn: number): CellPosition => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  })
  switch (key) {
    case 'ArrowUp':
      return at(row - 1, column)
    case 'ArrowDown':
      return at(row + 1, column)
    case 'ArrowLeft':
      return at(row, column - 1)
    case 'ArrowRight':
      return at(row, column + 1)
    case 'PageUp':
      return at(row - page, column)
    case 'PageDown':
      return at(row + page, column)
    case 'Home':
      return at(0, column)
    case 'End':
      return at(rows - 1, column)
    default:
      return undefined
  }
}
