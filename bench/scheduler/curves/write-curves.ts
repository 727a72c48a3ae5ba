import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounded } from '../../statistics.ts'
import { type RaceValue, raceValues } from '../race-values.ts'
import type { RaceResult } from '../run-race.ts'
import type { Runner } from '../start-runner.ts'
import { curvesSvg } from './curves-svg.ts'
import { raceCurves } from './race-curves.ts'

/** The races of one case. */
export interface FinishedCase {
  readonly name: string
  readonly title: string
  /** The values that the case reports. */
  readonly values: readonly RaceValue[]
  /** At least one race of each scheduler. */
  readonly results: Readonly<Record<Runner, readonly RaceResult[]>>
}

/** Writes `NAME.json` with all races of a case, and `NAME.svg` with the median race of each scheduler. */
export function writeCurves(dir: string, { name, title, values, results }: FinishedCase): void {
  mkdirSync(dir, { recursive: true })
  const raw = (['berth', 'kube-scheduler'] as const).flatMap((scheduler) =>
    results[scheduler].map((result) => ({
      scheduler,
      ...Object.fromEntries(values.map((value) => [value, rounded(raceValues[value].of(result))])),
      eventLagMs: rounded(result.eventLagMs),
      curves: raceCurves(result),
    })),
  )
  const races = raw.map((race) => `  ${JSON.stringify(race)}`).join(',\n')
  writeFileSync(join(dir, `${name}.json`), `{"case": ${JSON.stringify(title)}, "races": [\n${races}\n]}\n`)
  const curves = {
    berth: raceCurves(medianRace(results.berth)),
    'kube-scheduler': raceCurves(medianRace(results['kube-scheduler'])),
  }
  writeFileSync(join(dir, `${name}.svg`), curvesSvg(title, curves))
}

/** Returns the race whose time to the last event is the median; of two, the faster one. */
export function medianRace<T extends Pick<RaceResult, 'eventUsPerPod'>>(races: readonly T[]): T {
  const median = races.toSorted((a, b) => a.eventUsPerPod - b.eventUsPerPod)[Math.ceil(races.length / 2) - 1]
  if (median === undefined) throw new RangeError('choose the median race: there are no races')
  return median
}
