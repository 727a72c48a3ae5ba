import type { EffectRunner } from '../binding/effect-runner.ts'
import type { AttemptMetrics, EffectPoint, PointStatus } from './attempt-metrics.ts'

/** Where {@link measureEffects} records, and for which profile. */
export interface MeasureEffectsOptions {
  readonly metrics: Pick<AttemptMetrics, 'extensionPoint' | 'permitWait'>
  readonly profile: string
  /** Whether the profile has permit plugins. */
  readonly hasPermit: boolean
  readonly monotonic: () => number
}

/** kube-scheduler's status of results other than success. */
const statuses: Readonly<Record<string, PointStatus>> = {
  rejected: 'Unschedulable',
  abandoned: 'Unschedulable',
  preempted: 'Error',
}

/** Returns a runner of the same hooks that records how long each extension point took. */
export function measureEffects(
  runner: EffectRunner,
  { metrics, profile, hasPermit, monotonic }: MeasureEffectsOptions,
): EffectRunner {
  const measure = async <Result extends { readonly kind: string } | undefined | void>(
    point: EffectPoint,
    run: () => Promise<Result>,
  ): Promise<Result> => {
    const startMs = monotonic()
    let status: PointStatus = 'Error'
    try {
      const result = await run()
      status = typeof result === 'object' ? (statuses[result.kind] ?? 'Success') : 'Success'
      return result
    } finally {
      const durationMs = monotonic() - startMs
      metrics.extensionPoint(point, status, profile, durationMs)
      if (point === 'Permit' && hasPermit) metrics.permitWait(status, durationMs)
    }
  }
  return {
    reserve: () => measure('Reserve', () => runner.reserve()),
    permit: () => measure('Permit', () => runner.permit()),
    preBind: () => measure('PreBind', () => runner.preBind()),
    // The bind also goes to extenders and the API server, so its duration is recorded where it ends.
    bind: () => runner.bind(),
    unreserve: () => measure('Unreserve', () => runner.unreserve()),
    postBind: () => measure('PostBind', () => runner.postBind()),
  }
}
