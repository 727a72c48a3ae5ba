import { normalizeProps, useMachine } from '@zag-js/preact'
import * as slider from '@zag-js/slider'
import type { UiPoint } from '../../model/ui-point.ts'
import { changesText, distanceText, shownIndex, steppedTime } from './moments.ts'
import { timeText } from './time-text.ts'

/** The slider of time, which chooses the time that the views show. */
export function TimeBar({
  points,
  atMs,
  isLive,
  onMove,
}: {
  readonly points: readonly UiPoint[]
  /** Undefined: the end. */
  readonly atMs: number | undefined
  readonly isLive: boolean
  readonly onMove: (timeMs: number | undefined) => void
}) {
  const shown = shownIndex(points, atMs)
  const last = Math.max(0, points.length - 1)
  const service = useMachine(slider.machine, {
    id: 'time',
    min: 0,
    max: Math.max(1, last),
    step: 1,
    largeStep: Math.max(1, Math.round(last / 10)),
    value: [points.length > 1 ? shown : 1],
    disabled: points.length < 2,
    'aria-label': ['Time'],
    getAriaValueText: ({ value }) => valueText(points[value]),
    onValueChange: ({ value: [index = last] }) => onMove(index >= last ? undefined : points[index]?.timeMs),
  })
  const api = slider.connect(service, normalizeProps)
  const end = isLive ? 'Live' : 'End'
  return (
    <section class="time-bar" aria-label="Time">
      <button
        title="One change back"
        aria-label="One change back"
        aria-keyshortcuts=","
        disabled={shown <= 0}
        onClick={() => onMove(steppedTime(points, atMs, -1))}
      >
        ◀ <kbd>,</kbd>
      </button>
      <div class="slider" {...api.getRootProps()}>
        <div class="slider-control" {...api.getControlProps()}>
          <div class="slider-track" {...api.getTrackProps()}>
            <div class="slider-range" {...api.getRangeProps()} />
          </div>
          <div class="slider-thumb" {...api.getThumbProps({ index: 0 })} />
        </div>
      </div>
      <button
        title="One change forward"
        aria-label="One change forward"
        aria-keyshortcuts="."
        disabled={shown >= last}
        onClick={() => onMove(steppedTime(points, atMs, 1))}
      >
        ▶ <kbd>.</kbd>
      </button>
      <button aria-pressed={atMs === undefined} aria-keyshortcuts="l" onClick={() => onMove(undefined)}>
        {end} <kbd>l</kbd>
      </button>
      <span class={atMs === undefined ? 'shown-time' : 'shown-time is-past'}>
        {points.length < 2
          ? `Since ${timeText(points[0]?.timeMs ?? 0)}, without a change`
          : `${timeText(points[shown]?.timeMs ?? 0)}${atMs === undefined ? '' : `, ${distanceText(points, atMs)}`}`}
      </span>
    </section>
  )
}

function valueText(point: UiPoint | undefined): string {
  return point === undefined ? '' : `${timeText(point.timeMs)}. ${changesText(point)}`
}
