import type { HookMeter } from '@berth/fit-engine'
import type { Clock } from '@berth/types'
import type { BindOutcomeLabel } from '../binding/bind-assumed.ts'
import type { ExtenderObserver } from '../extenders/ask-extenders.ts'
import type { SchedulerMetrics } from './metric-definitions.ts'
import { UNSUPPORTED_REJECTOR } from '../queue/requeue-hints.ts'

/** Told of what happens in attempts. Durations are milliseconds. */
export interface AttemptObserver {
  /** Takes the times of the plugins in the attempt that begins; undefined: it is not one of those that are measured. */
  meter(): HookMeter | undefined
  /** A node was chosen and assumed. */
  chosen(durationMs: number): void
  attempt(result: 'scheduled' | 'unschedulable' | 'error', profile: string, durationMs: number): void
  rejected(rejectors: ReadonlySet<string>): void
  /** A pod was bound for good. */
  scheduled(sinceFirstSeenMs: number, attempts: number): void
  /** Default preemption was tried. */
  preemptionAttempt(): void
  /** Victims were deleted to make room. */
  preempted(victims: number): void
  bind(outcome: BindOutcomeLabel, durationMs: number): void
}

/** One attempt in so many has its plugins measured: reading a clock around every hook has its price. */
const MEASURED = 10

/** Brings what happens in attempts to the instruments. */
export function observeMetrics(
  metrics: SchedulerMetrics,
  clock: Pick<Clock, 'monotonic'>,
): AttemptObserver & { readonly extenderCall: ExtenderObserver } {
  const hookMeter: HookMeter = {
    now: () => clock.monotonic(),
    spent: (plugin, point, ms) => metrics.pluginDuration.observe({ plugin, extension_point: point }, ms / 1_000),
  }
  let attempts = 0
  return {
    meter: () => (attempts++ % MEASURED === 0 ? hookMeter : undefined),
    chosen: (ms) => metrics.schedulingDuration.observe(ms / 1_000),
    attempt(result, profile, ms) {
      metrics.attempts.inc({ result, profile })
      metrics.attemptDuration.observe({ result, profile }, ms / 1_000)
    },
    rejected(rejectors) {
      for (const plugin of rejectors) {
        if (plugin === UNSUPPORTED_REJECTOR) metrics.refusals.inc()
        else metrics.pluginRejections.inc({ plugin })
      }
    },
    scheduled(ms, attempts) {
      metrics.podDuration.observe(ms / 1_000)
      metrics.podAttempts.observe(attempts)
    },
    preemptionAttempt: () => metrics.preemptionAttempts.inc(),
    preempted: (victims) => metrics.preemptionVictims.observe(victims),
    bind(outcome, ms) {
      metrics.binds.inc({ outcome })
      metrics.bindDuration.observe(ms / 1_000)
    },
    extenderCall({ extender, verb, durationMs, error }) {
      const failure = extender.isIgnorable || verb === 'prioritize' ? 'ignored' : 'error'
      metrics.extenderCalls.inc({ verb, result: error === undefined ? 'ok' : failure })
      metrics.extenderDuration.observe({ verb }, durationMs / 1_000)
    },
  }
}
