import { useMemo } from 'preact/hooks'
import type { UiPoint } from '../../model/ui-point.ts'
import { Turn } from '../frames/turn.tsx'
import type { Theme } from '../theme.ts'
import { LineChart } from './line-chart.tsx'
import { shownIndex } from './moments.ts'
import { PointTable } from './point-table.tsx'
import { MAX_LINES, podData, resourcesOf, shareData } from './series.ts'
import { timeText } from './time-text.ts'

/** The timeline: the requested share of each resource, the pods, and a table of the changes. */
export function TimelineView({
  points,
  search,
  theme,
  atMs,
  onMove,
}: {
  readonly points: readonly UiPoint[]
  readonly search: string
  readonly theme: Theme
  readonly atMs: number | undefined
  readonly onMove: (timeMs: number) => void
}) {
  const found = useMemo(() => resourcesOf(points, search), [points, search])
  const resources = found.slice(0, MAX_LINES)
  const names = resources.join('\n')
  const shares = useMemo(() => shareData(points, resources), [points, names])
  const pods = useMemo(() => podData(points), [points])
  const shown = shownIndex(points, atMs)
  const chart = { theme, shown, onMove }
  return (
    <section class="timeline" aria-label="Timeline">
      <p class="status">
        {points.length} {points.length === 1 ? 'point' : 'points'} since {timeText(points[0]?.timeMs ?? 0)}. A click on
        a chart, the slider, or <kbd>,</kbd> and <kbd>.</kbd> show the cluster of that time in every view. The table
        below says the same as the charts.
      </p>
      <h2>Requested share of all nodes</h2>
      {found.length > MAX_LINES && (
        <p class="status">
          {MAX_LINES} of {found.length} resources are shown. Search for others.
        </p>
      )}
      {found.length === 0 && <p class="status">No resource has this name.</p>}
      <LineChart data={shares} unit="%" {...chart} />
      <h2>Pods: pending, and changes since the point before</h2>
      <LineChart data={pods} unit="" {...chart} />
      <Turn>
        <PointTable points={points} shown={shown} resources={resources} onMove={onMove} />
      </Turn>
    </section>
  )
}
