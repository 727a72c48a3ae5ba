import { humanDuration } from '@berth/text/human-duration'
import { changeKinds, type UiPoint } from '../../model/ui-point.ts'

/** Returns the index of the point that is shown: the last which is not later than a time, or the last of all. */
export function shownIndex(points: readonly UiPoint[], atMs: number | undefined): number {
  if (atMs === undefined) return points.length - 1
  return Math.max(
    0,
    points.findLastIndex(({ timeMs }) => timeMs <= atMs),
  )
}

/** Returns the time to show after a step along the timeline; undefined is its end, which follows what arrives. */
export function steppedTime(points: readonly UiPoint[], atMs: number | undefined, steps: number): number | undefined {
  const index = Math.max(0, shownIndex(points, atMs) + steps)
  return index >= points.length - 1 ? undefined : points[index]?.timeMs
}

/** Says how far a time is from the end: `3m12s before the last change`. */
export function distanceText(points: readonly UiPoint[], atMs: number | undefined): string {
  const endMs = points.at(-1)?.timeMs
  return endMs === undefined || atMs === undefined ? '' : `${humanDuration(endMs - atMs)} before the last change`
}

const names: Readonly<Record<UiPoint['examples'][number][0], string>> = {
  arrived: 'arrived',
  placed: 'placed',
  pending: 'became pending',
  ended: 'ended',
  nodeAdded: 'node added',
  nodeChanged: 'node changed',
  nodeGone: 'node gone',
}

/** Says what changed at a point: `placed: default/web; node gone: node-1; and 4 more`. */
export function changesText({ counts, examples }: UiPoint): string {
  const byKind = Map.groupBy(examples, ([kind]) => kind)
  const parts = [...byKind].map(([kind, some]) => `${names[kind]}: ${some.map(([, name]) => name).join(', ')}`)
  const total = changeKinds.reduce((sum, kind) => sum + counts[kind], 0)
  const more = total - examples.length
  return [...parts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
