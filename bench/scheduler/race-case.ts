import type { Measurement, BenchOptions } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { writeCurves } from './curves/write-curves.ts'
import { type Goal, withGoal } from './goals.ts'
import { type RaceValue, raceValues } from './race-values.ts'
import { type RaceResult, runRace } from './run-race.ts'
import type { Runner } from './start-runner.ts'
import type { Workload } from './workloads/workload.ts'

/** A workload that both schedulers place in turns. */
export interface RaceCase {
  readonly name: string
  readonly workload: Workload
  /** The same on a small cluster, for a quick run. */
  readonly quick: Workload
  readonly values: readonly RaceValue[]
  readonly goals?: Readonly<Partial<Record<RaceValue, Goal>>>
}

const PAIRS = 5
const runners: readonly Runner[] = ['kube-scheduler', 'berth']

/** Runs the races of a case and returns one line for each value and scheduler. */
export async function runRaceCase(
  { name, workload: complete, quick, values, goals = {} }: RaceCase,
  { isQuick, curvesDir, progress }: BenchOptions,
): Promise<readonly Measurement[]> {
  const workload = isQuick ? quick : complete
  const { nodes, pods, description } = workload
  const what = `${name}: ${pods} pods ${description}, ${nodes} nodes`
  const results: Record<Runner, RaceResult[]> = { berth: [], 'kube-scheduler': [] }
  for (let pair = 0; pair < (isQuick ? 1 : PAIRS); pair++) {
    // The scheduler that starts changes from pair to pair.
    for (const runner of pair % 2 === 0 ? runners : runners.toReversed()) {
      const result = await runRace(runner, { workload })
      results[runner].push(result)
      const shown = values.map((value) => `${raceValues[value].label} ${rounded(raceValues[value].of(result))}`)
      progress(
        `${what}: ${runner}: ${shown.join(', ')}, last event ${rounded(result.eventLagMs)} ms after the last bind`,
      )
    }
  }
  if (curvesDir !== undefined) writeCurves(curvesDir, { name, title: what, values, results })
  return values.flatMap((value) => {
    const { unit, label } = raceValues[value]
    const lines = runners.map((runner): Measurement => {
      const samples = results[runner].map(raceValues[value].of)
      return { bench: 'scheduler', case: `${runner}: ${what}: ${label}`, unit, ...summarize(samples) }
    })
    return compared(lines, isQuick ? undefined : goals[value])
  })
}

/** Adds to the line of Berth, the second one, its ratio to kube-scheduler's and its goal. */
export function compared([baseline, measured]: readonly Measurement[], goal: Goal | undefined): readonly Measurement[] {
  if (baseline === undefined || measured === undefined) throw new RangeError('compare schedulers: a line is missing')
  const ratio = measured.unit === 'pods/s' ? measured.median / baseline.median : baseline.median / measured.median
  return [baseline, withGoal({ ...measured, against: 'kube-scheduler', ratio: rounded(ratio) }, goal)]
}
