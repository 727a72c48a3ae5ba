import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { UiModel } from '../../model/ui-model.ts'
import { type Theme, themeColor } from '../theme.ts'
import { cellSentence } from './cell-look.ts'
import { drawMap, type MapColors, type MapPicture } from './draw-map.ts'
import { type CellPosition, denseLayout, moved, narrowLayout, scrollToShow, wideLayout } from './map-layout.ts'
import { nodeOrder, type RowOrder } from './node-order.ts'

/** The heat map: a row for each node, a column for each resource. */
export function HeatMap({
  model,
  search,
  theme,
}: {
  readonly model: UiModel
  readonly search: string
  readonly theme: Theme
}) {
  const [order, setOrder] = useState<RowOrder>({ by: 'name' })
  const [isDense, setDense] = useState(false)
  const [focused, setFocused] = useState<CellPosition>({ row: 0, column: 0 })
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const rows = useMemo(() => nodeOrder(model, search, order), [model, search, order])
  const columns = useMemo(() => model.resources.map((_, i) => i), [model])
  const layout = isDense ? denseLayout : matchMedia('(max-width: 600px)').matches ? narrowLayout : wideLayout
  const colors = useMemo(() => colorsOf(), [theme])
  const focus = {
    row: Math.min(focused.row, Math.max(0, rows.length - 1)),
    column: Math.min(focused.column, Math.max(0, columns.length - 1)),
  }
  const picture = useRef<Omit<MapPicture, 'width' | 'height' | 'scrollLeft' | 'scrollTop'>>(undefined)
  picture.current = { model, rows, columns, layout, colors, focused: focus }
  const draw = useRef(frameOf(() => paint(canvas.current, scroller.current, picture.current))).current

  useEffect(draw)
  useEffect(() => {
    const observer = new ResizeObserver(draw)
    if (scroller.current !== null) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])

  const show = (cell: CellPosition): void => {
    setFocused(cell)
    const { current: box } = scroller
    if (box === null) return
    const height = box.clientHeight - layout.headerHeight
    const width = box.clientWidth - layout.nameWidth
    box.scrollTop = scrollToShow(box.scrollTop, height, layout.rowHeight, cell.row)
    box.scrollLeft = scrollToShow(box.scrollLeft, width, layout.columnWidth, cell.column)
  }
  const sortBy = (resource: string | undefined): void => {
    if (resource === undefined) return
    const isSorted = order.by === 'share' && order.resource === resource
    setOrder(isSorted ? { by: 'name' } : { by: 'share', resource })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 's') sortBy(resource?.name)
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / layout.rowHeight) - 1
    const next = moved(focus, event.key, { rows: rows.length, columns: columns.length, page })
    if (next === undefined) return
    event.preventDefault()
    show(next)
  }
  const onClick = (event: MouseEvent): void => {
    const { current: box } = scroller
    if (box === null) return
    const bounds = box.getBoundingClientRect()
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top]
    const column = Math.floor((x - layout.nameWidth + box.scrollLeft) / layout.columnWidth)
    if (y < layout.headerHeight) return sortBy(model.resources[columns[column] ?? -1]?.name)
    const row = Math.floor((y - layout.headerHeight + box.scrollTop) / layout.rowHeight)
    if (row < rows.length && column >= 0 && column < columns.length) show({ row, column })
  }

  const resource = model.resources[columns[focus.column] ?? -1]
  const node = rows[focus.row]
  const sentence =
    resource === undefined || node === undefined
      ? 'No node has this name.'
      : cellSentence(model.nodes[node] ?? '', resource.name, resource.cells[node] ?? null)
  const orderText = order.by === 'name' ? 'by name' : `by the requested share of ${order.resource}`
  return (
    <section class="heat-map" aria-label="Heat map">
      <div class="legend">
        <button aria-pressed={isDense} onClick={() => setDense(!isDense)}>
          Thin rows
        </button>
        <span>
          {rows.length} of {model.nodes.length} nodes, {orderText}
        </span>
        <span>Length of the bar: requested share. “!” and hatching: unhealthy units. “–”: not offered.</span>
        <span>
          Arrows move, <kbd>s</kbd> or a click on a header sorts.
        </span>
      </div>
      <p class="detail" role="status">
        {sentence}
      </p>
      <div
        class="scroller"
        ref={scroller}
        tabIndex={0}
        role="application"
        aria-label="Nodes and resources. The arrow keys move from cell to cell."
        onScroll={draw}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <canvas ref={canvas} />
        <div
          style={{
            position: 'absolute',
            top: 0,
            left: 0,
            width: layout.nameWidth + columns.length * layout.columnWidth,
            height: layout.headerHeight + rows.length * layout.rowHeight,
            pointerEvents: 'none',
          }}
        />
      </div>
    </section>
  )
}

/** Returns a function that runs some work once in the next frame, however often it is called before. */
function frameOf(work: () => void): () => void {
  let requested = false
  return () => {
    if (requested) return
    requested = true
    requestAnimationFrame(() => {
      requested = false
      work()
    })
  }
}

function paint(
  canvas: HTMLCanvasElement | null,
  box: HTMLDivElement | null,
  picture: Omit<MapPicture, 'width' | 'height' | 'scrollLeft' | 'scrollTop'> | undefined,
): void {
  const context = canvas?.getContext('2d', { alpha: false })
  if (canvas === null || box === null || picture === undefined || !context) return
  const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = box
  // A hidden view has no size, and its picture stays.
  if (width === 0) return
  const scale = devicePixelRatio
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  context.setTransform(scale, 0, 0, scale, 0, 0)
  drawMap(context, { ...picture, width, height, scrollLeft, scrollTop })
  if (performance.getEntriesByName('heat-map').length === 0) performance.mark('heat-map')
}

function colorsOf(): MapColors {
  return {
    ground: themeColor('ground'),
    raised: themeColor('raised'),
    text: themeColor('text'),
    muted: themeColor('muted'),
    line: themeColor('line'),
    focus: themeColor('focus'),
    bad: themeColor('bad'),
    fills: { used: themeColor('used'), busy: themeColor('busy'), full: themeColor('full') },
  }
}
