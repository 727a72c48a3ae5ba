import type { EvaluationCounter, HookPoint } from '@berth/fit-engine'

/** Labels of one count. */
export interface EvaluationLabels {
  readonly plugin: string
  readonly extension_point: HookPoint
  readonly profile: string
}

/** Counts the evaluations of plugins until they are written to a metric. */
export interface EvaluationCounts {
  /** Returns the counter of a profile. */
  of(profile: string): EvaluationCounter
  /** Passes every count to `write` and starts again at 0. */
  flush(write: (labels: EvaluationLabels, count: number) => void): void
}

type CountsByPoint = Record<HookPoint, number>

/** Creates counts of 0. */
export function createEvaluationCounts(): EvaluationCounts {
  const profiles = new Map<
    string,
    { readonly counter: EvaluationCounter; readonly plugins: Map<string, CountsByPoint> }
  >()
  const create = (profile: string): EvaluationCounter => {
    const plugins = new Map<string, CountsByPoint>()
    const counter: EvaluationCounter = {
      add(plugin, point, count) {
        let counts = plugins.get(plugin)
        if (counts === undefined) plugins.set(plugin, (counts = { PreFilter: 0, Filter: 0, PreScore: 0, Score: 0 }))
        counts[point] += count
      },
    }
    profiles.set(profile, { counter, plugins })
    return counter
  }
  return {
    of: (profile) => profiles.get(profile)?.counter ?? create(profile),
    flush(write) {
      for (const [profile, { plugins }] of profiles) {
        for (const [plugin, counts] of plugins) {
          for (const [point, count] of Object.entries(counts) as readonly [HookPoint, number][]) {
            if (count > 0) write({ plugin, extension_point: point, profile }, count)
          }
        }
        plugins.clear()
      }
    },
  }
}
