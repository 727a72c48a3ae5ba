import type { RaceResult } from '../run-race.ts'
import { type CurvePoint, sampleCurve } from './sample-curve.ts'

/** The curves of a race: pods that were created, are bound, and have a Scheduled event. */
export const curveKinds = ['created', 'bound', 'event'] as const
/** One of the curves of a race. */
export type CurveKind = (typeof curveKinds)[number]

/** The curves of one race. Time 0 is the start of the measured time. */
export type RaceCurves = Readonly<Record<CurveKind, readonly CurvePoint[]>>

const MAX_POINTS = 100

/** Returns the curves of a race, until its last event. Pods that were created before the measured time count from its start. */
export function raceCurves({ startMs, times }: Pick<RaceResult, 'startMs' | 'times'>): RaceCurves {
  const since = (kind: CurveKind): readonly number[] =>
    Array.from(times[kind].values(), (ms) => Math.max(0, ms - startMs))
  const endMs = Math.max(...curveKinds.map((kind) => since(kind).reduce((a, b) => Math.max(a, b), 0)))
  const curve = (kind: CurveKind): readonly CurvePoint[] => sampleCurve(since(kind), endMs, MAX_POINTS)
  return { created: curve('created'), bound: curve('bound'), event: curve('event') }
}
