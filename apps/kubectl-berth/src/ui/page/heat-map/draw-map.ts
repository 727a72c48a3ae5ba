import type { UiModel } from '../../model/ui-model.ts'
import { cellLook, type Fullness } from './cell-look.ts'
import { type CellPosition, type MapLayout, visibleRange } from './map-layout.ts'

/** Colours of the theme. */
export interface MapColors {
  readonly ground: string
  readonly raised: string
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly focus: string
  readonly bad: string
  readonly fills: Readonly<Record<Fullness, string>>
}

/** Input of a drawing. */
export interface MapPicture {
  readonly model: UiModel
  /** Indexes of the shown nodes, in order. */
  readonly rows: readonly number[]
  /** Indexes of the shown resources, in order. */
  readonly columns: readonly number[]
  readonly layout: MapLayout
  readonly colors: MapColors
  /** The cell with the keyboard focus. */
  readonly focused: CellPosition
  readonly width: number
  readonly height: number
  readonly scrollLeft: number
  readonly scrollTop: number
}

/** The part of a canvas context that draws the map. */
export interface MapContext {
  font: string
  textBaseline: string
  fillStyle: unknown
  strokeStyle: unknown
  lineWidth: number
  fillRect(left: number, top: number, width: number, height: number): void
  strokeRect(left: number, top: number, width: number, height: number): void
  fillText(text: string, left: number, top: number): void
  save(): void
  restore(): void
  beginPath(): void
  rect(left: number, top: number, width: number, height: number): void
  clip(): void
  moveTo(left: number, top: number): void
  lineTo(left: number, top: number): void
  stroke(): void
}

const FONT = '12px system-ui, sans-serif'
const HATCH_STEP = 6

/** Draws the visible part of the map: the work depends on the size of the window, not on that of the cluster. */
export function drawMap(context: MapContext, picture: MapPicture): void {
  const { layout, colors, width, height, scrollLeft, scrollTop, rows, columns, focused } = picture
  const { rowHeight, columnWidth, nameWidth, headerHeight } = layout
  const [visibleRows, visibleColumns] = [
    visibleRange(scrollTop, height - headerHeight, rowHeight, rows.length),
    visibleRange(scrollLeft, width - nameWidth, columnWidth, columns.length),
  ]
  const leftOf = (column: number): number => nameWidth + column * columnWidth - scrollLeft
  const topOf = (row: number): number => headerHeight + row * rowHeight - scrollTop
  context.font = FONT
  context.textBaseline = 'middle'
  context.fillStyle = colors.ground
  context.fillRect(0, 0, width, height)
  for (let column = visibleColumns.from; column < visibleColumns.to; column++) {
    const cells = picture.model.resources[columns[column] ?? -1]?.cells ?? []
    for (let row = visibleRows.from; row < visibleRows.to; row++) {
      const box = { left: leftOf(column), top: topOf(row), width: columnWidth, height: rowHeight }
      drawCell(context, cells[rows[row] ?? -1] ?? null, box, colors)
    }
  }
  context.strokeStyle = colors.focus
  context.lineWidth = 2
  context.strokeRect(leftOf(focused.column) + 1, topOf(focused.row) + 1, columnWidth - 2, Math.max(2, rowHeight - 2))
  drawNames(context, picture, visibleRows.from, visibleRows.to, topOf)
  drawHeader(context, picture, visibleColumns.from, visibleColumns.to, leftOf)
}

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

function drawCell(
  context: MapContext,
  amounts: Parameters<typeof cellLook>[0],
  { left, top, width, height }: Box,
  colors: MapColors,
): void {
  const { text, share, fullness, isUnhealthy } = cellLook(amounts)
  const inner = { width: width - 2, height: Math.max(1, height - 2) }
  if (amounts !== null) {
    context.fillStyle = colors.raised
    context.fillRect(left, top, inner.width, inner.height)
    context.fillStyle = colors.fills[fullness]
    context.fillRect(left, top, inner.width * share, inner.height)
  }
  if (isUnhealthy) hatch(context, { left, top, ...inner }, colors.bad)
  if (height < 12) return
  context.fillStyle = amounts === null ? colors.muted : colors.text
  context.fillText(text, left + 6, top + height / 2)
}

function hatch(context: MapContext, { left, top, width, height }: Box, color: string): void {
  context.save()
  context.beginPath()
  context.rect(left, top, width, height)
  context.clip()
  context.strokeStyle = color
  context.lineWidth = 1
  context.beginPath()
  for (let x = left - height; x < left + width; x += HATCH_STEP) {
    context.moveTo(x, top + height)
    context.lineTo(x + height, top)
  }
  context.stroke()
  context.restore()
}

function drawNames(
  context: MapContext,
  { model, rows, layout, colors, height }: MapPicture,
  from: number,
  to: number,
  topOf: (row: number) => number,
): void {
  if (layout.nameWidth === 0) return
  context.fillStyle = colors.ground
  context.fillRect(0, 0, layout.nameWidth, height)
  context.fillStyle = colors.text
  for (let row = from; row < to; row++) {
    const name = model.nodes[rows[row] ?? -1] ?? ''
    context.fillText(fitted(name, layout.nameWidth), 8, topOf(row) + layout.rowHeight / 2)
  }
}

function drawHeader(
  context: MapContext,
  { model, columns, layout, colors, width }: MapPicture,
  from: number,
  to: number,
  leftOf: (column: number) => number,
): void {
  context.fillStyle = colors.raised
  context.fillRect(0, 0, width, layout.headerHeight)
  context.fillStyle = colors.text
  const middle = layout.headerHeight / 2
  for (let column = from; column < to; column++) {
    const name = model.resources[columns[column] ?? -1]?.name ?? ''
    context.fillText(fitted(name, layout.columnWidth), leftOf(column) + 6, middle)
  }
  if (layout.nameWidth === 0) return
  context.fillStyle = colors.raised
  context.fillRect(0, 0, layout.nameWidth, layout.headerHeight)
  context.fillStyle = colors.text
  context.fillText('Node', 8, middle)
}

/** Shortens a name in front, because names differ at their ends. Widths are estimated: measuring each would take longer. */
function fitted(name: string, width: number): string {
  const room = Math.floor((width - 14) / 6.6)
  return name.length <= room ? name : `…${name.slice(name.length - room + 1)}`
}
