import type { HookMeter } from '@berth/fit-engine'
import type { EventObserver } from '@berth/k8s-client'
import type { Clock } from '@berth/types'
import type { BindOutcomeLabel } from '../binding/bind-assumed.ts'
import type { ExtenderCallObserver } from '../extenders/observe-call.ts'
import { UNSUPPORTED_REJECTOR } from '../queue/rejectors.ts'
import type { SchedulerMetrics } from './metric-definitions.ts'

/** Records what happens in scheduling attempts. Durations are milliseconds. */
export interface AttemptMetrics {
  /** The meter for the plugins of the attempt that begins; undefined for an attempt that is not measured. */
  nextHookMeter(): HookMeter | undefined
  /** A node was chosen and the pod assumed there. */
  nodeChosen(durationMs: number): void
  /** An attempt ended. */
  attempt(result: 'scheduled' | 'unschedulable' | 'error', profile: string, durationMs: number): void
  /** These plugins rejected the pod. */
  rejected(rejectors: ReadonlySet<string>): void
  /** A pod was bound. */
  scheduled(sinceFirstSeenMs: number, attempts: number): void
  /** Default preemption was tried. */
  preemptionAttempt(): void
  /** Victims were deleted to make room. */
  preempted(victims: number): void
  bind(outcome: BindOutcomeLabel, durationMs: number): void
  readonly extenderCall: ExtenderCallObserver
}

/** One attempt in this many has its plugins measured, because reading a clock around every hook costs time. */
const ATTEMPTS_PER_MEASUREMENT = 10

/** Records attempts in the metrics of the scheduler. */
export function createAttemptMetrics(metrics: SchedulerMetrics, clock: Pick<Clock, 'monotonic'>): AttemptMetrics {
  const hookMeter: HookMeter = {
    now: () => clock.monotonic(),
    spent: (plugin, point, ms) => metrics.pluginDuration.observe({ plugin, extension_point: point }, ms / 1_000),
  }
  let attempts = 0
  return {
    nextHookMeter: () => (attempts++ % ATTEMPTS_PER_MEASUREMENT === 0 ? hookMeter : undefined),
    nodeChosen: (ms) => metrics.schedulingDuration.observe(ms / 1_000),
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
    scheduled(ms, attemptCount) {
      metrics.podDuration.observe(ms / 1_000)
      metrics.podAttempts.observe(attemptCount)
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

/** Counts what happens to recorded events. */
export function createEventMetrics({ eventsWritten, eventsDropped }: SchedulerMetrics): EventObserver {
  return {
    written: (reason) => eventsWritten.inc({ reason }),
    dropped: (reason, cause) => eventsDropped.inc({ reason, cause }),
  }
}
