import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import type { Theme } from '../theme.ts'
import { CHART_HEIGHT, chartOptions, type ChartState } from './chart-options.ts'
import type { ChartData } from './series.ts'

/** A chart of lines over time. A click moves to a time; a table shows the same to those who do not see it. */
export function LineChart({
  data,
  unit,
  theme,
  shown,
  onMove,
}: {
  readonly data: ChartData
  /** Follows each number, such as `%`. */
  readonly unit: string
  readonly theme: Theme
  /** Index of the point that the page shows. */
  readonly shown: number
  readonly onMove: (timeMs: number) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot>(undefined)
  const state = useRef<ChartState>({ shown, onMove })
  state.current = { shown, onMove }
  const names = data.series.map(({ name }) => name).join('\n')
  useEffect(() => {
    const { current: parent } = box
    if (parent === null) return
    const made = new UPlot(
      chartOptions(data, unit, parent.clientWidth, () => state.current),
      plotData(data),
      parent,
    )
    chart.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: CHART_HEIGHT }))
    observer.observe(parent)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [names, unit, theme])
  useEffect(() => {
    const { current: made } = chart
    if (made === undefined) return
    made.setData(plotData(data))
    if (typeof made.cursor.idx !== 'number') made.setLegend({ idx: shown }, false)
  }, [data, shown, names, theme])
  return <div class="chart" ref={box} aria-hidden="true" />
}

function plotData({ times, series }: ChartData): UPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])]
}
