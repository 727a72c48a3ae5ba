import type { Measurement } from '../measurement.ts'
import { p50, p99 } from '../statistics.ts'
import type { RaceResult } from './run-race.ts'

/** One number of a race that is reported. */
export type RaceValue =
  | 'boundPerSecond'
  | 'eventPerSecond'
  | 'cpuUsPerPod'
  | 'serverCpuUsPerPod'
  | 'observerCpuUsPerPod'
  | 'firstBindMs'
  | 'latencyP50Ms'
  | 'latencyP99Ms'

/** How a value is read from a race and shown. */
export interface RaceValueKind {
  readonly label: string
  readonly unit: Measurement['unit']
  readonly of: (result: RaceResult) => number
}

/** The values of a race. */
export const raceValues: Readonly<Record<RaceValue, RaceValueKind>> = {
  boundPerSecond: { label: 'bound pods per second', unit: 'pods/s', of: ({ usPerPod }) => 1e6 / usPerPod },
  eventPerSecond: {
    label: 'pods per second to the last event',
    unit: 'pods/s',
    of: ({ eventUsPerPod }) => 1e6 / eventUsPerPod,
  },
  cpuUsPerPod: { label: 'CPU time per pod', unit: 'us', of: ({ cpuUsPerPod }) => cpuUsPerPod },
  serverCpuUsPerPod: {
    label: 'CPU time of kube-apiserver per pod',
    unit: 'us',
    of: ({ serverCpuUsPerPod }) => serverCpuUsPerPod,
  },
  observerCpuUsPerPod: {
    label: 'CPU time of the observing client per pod',
    unit: 'us',
    of: ({ observerCpuUsPerPod }) => observerCpuUsPerPod,
  },
  firstBindMs: { label: 'from the start to the first bind', unit: 'ms', of: ({ firstBindMs }) => firstBindMs },
  latencyP50Ms: { label: 'creation to bind, median', unit: 'ms', of: (result) => p50(latenciesMs(result)) },
  latencyP99Ms: { label: 'creation to bind, 99th percentile', unit: 'ms', of: (result) => p99(latenciesMs(result)) },
}

/** Returns the time from creation to bind of each pod. */
function latenciesMs({ times: { created, bound } }: RaceResult): readonly number[] {
  return Array.from(bound, ([name, boundMs]) => boundMs - (created.get(name) ?? Number.NaN))
}
