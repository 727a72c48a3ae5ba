import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { frames } from '../frames/page-frames.ts'
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
  const latest = useRef({ data, shown })
  latest.current = { data, shown }
  const creation = useRef({}).current
  const update = useRef({}).current
  const draw = (): void => {
    const { current: made } = chart
    if (made === undefined) return
    made.setData(plotData(latest.current.data))
    if (typeof made.cursor.idx !== 'number') made.setLegend({ idx: latest.current.shown }, false)
  }
  useEffect(() => {
    const { current: parent } = box
    if (parent === null) return
    // Creating a chart and drawing it each take most of a frame.
    const create = (): void => {
      const { clientWidth: width } = parent
      if (width === 0) return
      const options = chartOptions(latest.current.data, unit, width, () => state.current)
      chart.current = new UPlot(options, [[], ...data.series.map(() => [])], parent)
      frames.request(update, draw)
    }
    const observer = new ResizeObserver(() => {
      const { clientWidth: width } = parent
      // A hidden view has no width.
      if (width === 0) return
      if (chart.current === undefined) frames.request(creation, create)
      else if (width !== chart.current.width) chart.current.setSize({ width, height: CHART_HEIGHT })
    })
    observer.observe(parent)
    return () => {
      observer.disconnect()
      frames.cancel(creation)
      chart.current?.destroy()
      chart.current = undefined
    }
  }, [names, unit, theme])
  useEffect(() => {
    frames.request(update, draw)
    return () => frames.cancel(update)
  }, [data, shown])
  return <div class="chart" ref={box} aria-hidden="true" />
}

function plotData({ times, series }: ChartData): UPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])]
}
