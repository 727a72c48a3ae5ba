import UPlot from 'uplot'
import type { ChartData } from './series.ts'
import { themeColor } from '../theme.ts'
import { clockText, timeText } from './time-text.ts'

/** Height of a chart in CSS pixels. */
export const CHART_HEIGHT = 190
/** Narrower charts have no names at the ends of their lines; the legend has them. */
const MIN_LABELLED_WIDTH = 600
const LABEL_WIDTH = 150
const LABEL_HEIGHT = 14
const LABEL_LETTERS = 22
const FONT = '12px system-ui, sans-serif'
/** Lines differ by these and by the names at their ends, and not by colour alone. */
const dashes: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 2],
  [16, 4],
  [1, 4],
  [8, 2, 1, 2, 1, 2],
]

/** The state of the page, which a chart reads when it draws. */
export interface ChartState {
  /** Index of the point that the page shows. */
  readonly shown: number
  readonly onMove: (timeMs: number) => void
}

/** Returns the options of a chart of lines over time in the colours of the theme. */
export function chartOptions(data: ChartData, unit: string, width: number, state: () => ChartState): UPlot.Options {
  const axis = {
    stroke: themeColor('muted'),
    font: FONT,
    grid: { stroke: themeColor('line'), width: 0.5 },
    ticks: { show: false },
  }
  const numberText = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : `${Math.round(value * 10) / 10}${unit}`
  const hasLabels = width >= MIN_LABELLED_WIDTH
  return {
    width,
    height: CHART_HEIGHT,
    padding: [8, hasLabels ? LABEL_WIDTH : 16, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, Math.max(unit === '%' ? 100 : 5, max)] } },
    axes: [
      { ...axis, size: 30, space: 110, values: (_, times) => times.map((seconds) => clockText(seconds * 1_000)) },
      { ...axis, size: 48, values: (_, values) => values.map(numberText) },
    ],
    series: [
      { label: 'Time', value: (_, seconds) => (Number.isFinite(seconds) ? timeText(seconds * 1_000) : '–') },
      ...data.series.map(({ name }, i) => ({
        label: name,
        stroke: themeColor(`series-${i + 1}`),
        width: 2,
        dash: [...(dashes[i] ?? [])],
        // A value holds until the next point.
        paths: UPlot.paths.stepped?.({ align: 1 }) ?? (() => null),
        points: { show: data.times.length === 1 },
        value: (_: UPlot, value: number | null) => numberText(value),
      })),
    ],
    hooks: {
      ready: [
        (chart) =>
          chart.over.addEventListener('click', (event) => state().onMove(chart.posToVal(event.offsetX, 'x') * 1_000)),
      ],
      draw: [
        (chart) => drawShownTime(chart, state().shown, themeColor('text')),
        (chart) => {
          if (!hasLabels) return
          const names = data.series.map(({ name }) => name)
          drawNames(chart, names)
        },
      ],
      // Without a pointer the legend shows the values of the shown time.
      setCursor: [
        (chart) => {
          if (typeof chart.cursor.idx !== 'number') chart.setLegend({ idx: state().shown }, false)
        },
      ],
    },
  }
}

/** Marks the shown time; the end of the timeline needs no mark. */
function drawShownTime(chart: UPlot, shown: number, color: string): void {
  const { ctx, bbox, data } = chart
  const seconds = data[0][shown]
  if (seconds === undefined || shown >= data[0].length - 1) return
  const x = Math.round(chart.valToPos(seconds, 'x', true))
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = 2 * devicePixelRatio
  ctx.setLineDash([])
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.restore()
}

/** Writes the name of each line at its end. */
function drawNames(chart: UPlot, names: readonly string[]): void {
  const { ctx, bbox, data } = chart
  const ends = names.flatMap((label, i) => {
    const value = [...(data[i + 1] ?? [])].findLast((one) => typeof one === 'number')
    return typeof value === 'number' ? [{ label, i: i + 1, y: chart.valToPos(value, 'y', true) }] : []
  })
  const step = LABEL_HEIGHT * devicePixelRatio
  ctx.save()
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  // From the bottom up, each as high above the one before as it needs.
  let limit = bbox.top + bbox.height
  for (const { label, i, y } of ends.toSorted((a, b) => b.y - a.y)) {
    const middle = Math.min(y, limit)
    limit = middle - step
    ctx.fillStyle = themeColor(`series-${i}`)
    const text = label.length > LABEL_LETTERS ? `…${label.slice(1 - LABEL_LETTERS)}` : label
    ctx.fillText(text, bbox.left + bbox.width + 8 * devicePixelRatio, middle)
  }
  ctx.restore()
}
