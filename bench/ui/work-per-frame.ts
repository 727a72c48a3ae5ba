/** The fields of a trace event of Chromium that are read. */
export interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds. */
  readonly ts: number
  /** Microseconds of CPU time of the thread. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Microseconds of one frame at 60 Hz. */
const FRAME_US = 1_000_000 / 60

/**
 * Returns how long the main threads of pages worked in each frame at 60 Hz, in milliseconds of CPU time: the sum of the tasks
 * that began in it. CPU time, because other processes of the machine make the wall time longer. Frames without work are left
 * out.
 *
 * @param events - A trace with the category `disabled-by-default-devtools.timeline`.
 */
export function workPerFrame(events: readonly TraceEvent[]): readonly number[] {
  const threads = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  const tasks = events.filter((event) => event.name === 'RunTask' && threads.has(threadOf(event)))
  const byFrame = Map.groupBy(tasks, (task) => `${threadOf(task)} ${Math.floor(task.ts / FRAME_US)}`)
  return [...byFrame.values()].map((frame) => frame.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000)
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`
}
