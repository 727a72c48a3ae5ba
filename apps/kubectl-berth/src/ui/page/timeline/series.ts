import type { UiPoint } from '../../model/ui-point.ts'

/** Values over time, one for each point. Times are in seconds, as the chart expects them. */
export interface ChartData {
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
}

/** A line of a chart. */
export interface ChartSeries {
  readonly name: string
  /** Null where there is no value. */
  readonly values: readonly (number | null)[]
}

/** Lines that can be told apart. */
export const MAX_LINES = 8

/** Returns the names of the resources that the timeline knows and that contain a text. */
export function resourcesOf(points: readonly UiPoint[], search: string): readonly string[] {
  const wanted = search.trim().toLowerCase()
  const names = new Set(points.flatMap(({ totals }) => totals.map(([name]) => name)))
  return [...names].filter((name) => name.toLowerCase().includes(wanted)).toSorted()
}

/** Returns the requested share of resources in percent, at each point. */
export function shareData(points: readonly UiPoint[], resources: readonly string[]): ChartData {
  const shares = points.map(({ totals }) => new Map(totals.map(([name, ...amounts]) => [name, shareOf(...amounts)])))
  return {
    times: timesOf(points),
    series: resources.map((name) => ({ name, values: shares.map((share) => share.get(name) ?? null) })),
  }
}

/** Returns the pods that were pending at each point, and those that arrived, were placed and ended since the point before. */
export function podData(points: readonly UiPoint[]): ChartData {
  return {
    times: timesOf(points),
    series: [
      { name: 'pending', values: points.map(({ pendingCount }) => pendingCount) },
      { name: 'arrived', values: points.map(({ counts }) => counts.arrived) },
      { name: 'placed', values: points.map(({ counts }) => counts.placed) },
      { name: 'ended', values: points.map(({ counts }) => counts.ended) },
    ],
  }
}

/** Returns the requested share of a resource in percent; null where none is allocatable. */
export function shareOf(requested: number, allocatable: number): number | null {
  return allocatable <= 0 ? null : (100 * requested) / allocatable
}

function timesOf(points: readonly UiPoint[]): readonly number[] {
  return points.map(({ timeMs }) => timeMs / 1_000)
}
