import { Component } from 'preact'
import { useRef } from 'preact/hooks'
import type { UiPoint } from '../../model/ui-point.ts'
import { changesText } from './moments.ts'
import { shareOf } from './series.ts'
import { timeText } from './time-text.ts'

/** Rows of the table. Moving along the timeline shows others. */
const MAX_ROWS = 20

/** The points up to the shown one as a table, the newest first. Its buttons move to a point. */
export function PointTable({
  points,
  shown,
  resources,
  onMove,
}: {
  readonly points: readonly UiPoint[]
  /** Index of the point that the page shows. */
  readonly shown: number
  readonly resources: readonly string[]
  readonly onMove: (timeMs: number) => void
}) {
  const to = Math.min(points.length, Math.max(MAX_ROWS, shown + MAX_ROWS / 2))
  const from = Math.max(0, to - MAX_ROWS)
  const move = useRef(onMove)
  move.current = onMove
  return (
    <div class="table-box">
      <table class="points">
        <caption>
          Changes {from + 1} to {to} of {points.length}, newest first
        </caption>
        <thead>
          <tr>
            {['Time', 'Arrived', 'Placed', 'Became pending', 'Ended', 'Node changes', 'Pending pods', ...resources].map(
              (title) => (
                <th scope="col" key={title}>
                  {title}
                </th>
              ),
            )}
            <th scope="col" class="wide">
              Changes
            </th>
          </tr>
        </thead>
        <tbody>
          {points
            .slice(from, to)
            .map((point, i) => <Row key={point.timeMs} {...{ point, resources, move }} isShown={from + i === shown} />)
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly point: UiPoint
  readonly resources: readonly string[]
  readonly isShown: boolean
  readonly move: { readonly current: (timeMs: number) => void }
}

/**
 * A point does not change, so its row is rendered once. A memoized element would do the same, but its children keep the tree
 * of their first rendering, and that one the tree before it: no model that the page has ever shown could be collected.
 */
class Row extends Component<RowProps> {
  override shouldComponentUpdate({ point, resources, isShown }: RowProps): boolean {
    const { props } = this
    return point !== props.point || isShown !== props.isShown || resources.join('\n') !== props.resources.join('\n')
  }

  override render({ point, resources, isShown, move }: RowProps) {
    return rowOf({ point, resources, isShown, move })
  }
}

function rowOf({ point, resources, isShown, move }: RowProps) {
  const { timeMs, counts, pendingCount, totals } = point
  const shares = new Map(totals.map(([name, ...amounts]) => [name, shareOf(...amounts)]))
  const numbers = [
    counts.arrived,
    counts.placed,
    counts.pending,
    counts.ended,
    counts.nodeAdded + counts.nodeChanged + counts.nodeGone,
    pendingCount,
  ]
  return (
    <tr aria-current={isShown ? 'time' : undefined}>
      <th scope="row">
        <button title="Show this time" onClick={() => move.current(timeMs)}>
          {isShown ? '▶ ' : ''}
          {timeText(timeMs)}
        </button>
      </th>
      {numbers.map((number, i) => (
        <td key={i}>{number}</td>
      ))}
      {resources.map((name) => {
        const share = shares.get(name)
        return <td key={name}>{share === undefined || share === null ? '–' : `${Math.round(share)}%`}</td>
      })}
      <td class="wide">{changesText(point)}</td>
    </tr>
  )
}
