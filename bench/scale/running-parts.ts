import { setTimeout as pause } from 'node:timers/promises'
import type { Measurement } from '../measurement.ts'
import type { ContenderProcess } from '../scheduler/contender.ts'
import { summarize } from '../statistics.ts'
import { readMetrics } from '../unschedulable/scheduler-metrics.ts'
import type { ScaleCluster } from './start-cluster.ts'

const LIMIT_MS = 300_000

/** The programs that run while the benchmark measures. */
export interface RunningParts {
  readonly cluster: ScaleCluster
  readonly scheduler: ContenderProcess
  /** Returns the metrics of the scheduler. */
  readonly metrics: () => Promise<string>
  /** Waits until a condition holds. Throws Error when the scheduler exits, or after five minutes. */
  readonly until: (what: string, isDone: () => Promise<boolean> | boolean) => Promise<void>
}

/** Describes a cluster and its scheduler, which serves health and metrics at `url`. */
export function runningParts(cluster: ScaleCluster, scheduler: ContenderProcess, url: string): RunningParts {
  return {
    cluster,
    scheduler,
    metrics: () => readMetrics(`${url}/metrics`),
    until: async (what, isDone) => {
      const deadlineMs = performance.now() + LIMIT_MS
      while (!(await isDone())) {
        const end = scheduler.exit()
        if (end !== undefined) throw new Error(`the scheduler exited: ${end}: ${scheduler.lastLogLines()}`)
        if (performance.now() > deadlineMs)
          throw new Error(`timed out waiting for ${what}: ${scheduler.lastLogLines()}`)
        await pause(20)
      }
    },
  }
}

/** Returns the measurement of one case of this benchmark. */
export function line(name: string, unit: Measurement['unit'], samples: readonly number[]): Measurement {
  return { bench: 'scale', case: name, unit, ...summarize(samples) }
}
