import type { EvaluationCounter, HookMeter, HookPoint } from '@berth/fit-engine'
import type { EventObserver } from '@berth/k8s-client'
import type { Clock } from '@berth/types'
import type { BindOutcomeLabel } from '../binding/bind-assumed.ts'
import type { ExtenderCallObserver } from '../extenders/observe-call.ts'
import { UNSUPPORTED_REJECTOR } from '../queue/rejectors.ts'
import type { QueuedPodInfo } from '../queue/queued-pod.ts'
import { createEvaluationCounts } from './evaluation-counts.ts'
import type { SchedulerMetrics } from './metric-definitions.ts'

/** Extension points outside of the decision, under kube-scheduler's names. */
export type EffectPoint = 'PostFilter' | 'Reserve' | 'Unreserve' | 'Permit' | 'PreBind' | 'Bind' | 'PostBind'

/** Status of an extension point, under kube-scheduler's names. */
export type PointStatus = 'Success' | 'Unschedulable' | 'Error'

/** Operations of tasks, under kube-scheduler's names. */
export type TaskOperation = 'binding' | 'prioritizing_extender'

/** Operations of VolumeBinding that can fail, under kube-scheduler's names. */
export type VolumeOperation = 'predicate' | 'assume' | 'bind'

/** The meter of one attempt. */
export interface AttemptMeter extends HookMeter {
  /** Records the extension points of the decision. `status` is that of its last filter. */
  end(status: PointStatus): void
}

/** Records what happens in scheduling attempts. Durations are milliseconds. */
export interface AttemptMetrics {
  /** The meter for the plugins of the attempt that begins; undefined for an attempt that is not measured. */
  nextHookMeter(profile: string): AttemptMeter | undefined
  /** Counts the evaluations of plugins for a profile. They are in the metrics after {@link AttemptMetrics.flush}. */
  evaluations(profile: string): EvaluationCounter
  /** Writes the counts that are kept apart, because a metric is too slow to be counted for each plugin. */
  flush(): void
  /** A task of this operation starts. Returns a function that ends it. */
  task(operation: TaskOperation): () => void
  /** The queue handled a change of the cluster. */
  eventHandled(event: string, durationMs: number): void
  /** All plugins of an extension point ran. */
  extensionPoint(point: EffectPoint, status: PointStatus, profile: string, durationMs: number): void
  /** The permit plugins of a profile let a pod wait this long. */
  permitWait(status: PointStatus, durationMs: number): void
  /** A node was chosen and the pod assumed there. */
  nodeChosen(durationMs: number): void
  /** An attempt ended. */
  attempt(result: 'scheduled' | 'unschedulable' | 'error', profile: string, durationMs: number): void
  /** These plugins rejected the pod. */
  rejected(rejectors: ReadonlySet<string>): void
  /** A pod was bound. */
  scheduled(info: Pick<QueuedPodInfo, 'firstSeenMs' | 'firstAttemptMs' | 'attempts'>): void
  /** Default preemption was tried. */
  preemptionAttempt(): void
  /** Victims were deleted to make room. */
  preempted(victims: number): void
  bind(outcome: BindOutcomeLabel, durationMs: number): void
  /** VolumeBinding failed for a pod. */
  volumesFailed(operation: VolumeOperation): void
  readonly extenderCall: ExtenderCallObserver
}

/** One attempt in this many has its plugins measured, because reading a clock around every hook costs time. */
const ATTEMPTS_PER_MEASUREMENT = 10
/** More attempts share one value of the label, as in kube-scheduler. */
const MAX_ATTEMPTS_LABEL = 14

/** Records attempts in the metrics of the scheduler. */
export function createAttemptMetrics(metrics: SchedulerMetrics, clock: Pick<Clock, 'monotonic'>): AttemptMetrics {
  const createMeter = (profile: string): AttemptMeter => {
    const msByPoint = new Map<HookPoint, number>()
    return {
      now: () => clock.monotonic(),
      spent(plugin, point, ms) {
        metrics.pluginDuration.observe({ plugin, extension_point: point }, ms / 1_000)
        metrics.kubePluginDuration.observe({ plugin, extension_point: point, status: 'Success' }, ms / 1_000)
        msByPoint.set(point, (msByPoint.get(point) ?? 0) + ms)
      },
      end(status) {
        for (const [point, ms] of msByPoint) {
          const isFilter = point === 'Filter'
          const labels = { extension_point: point, status: isFilter ? status : 'Success', profile }
          metrics.kubeExtensionPointDuration.observe(labels, ms / 1_000)
        }
      },
    }
  }
  const evaluations = createEvaluationCounts()
  let attempts = 0
  return {
    evaluations: (profile) => evaluations.of(profile),
    flush: () => evaluations.flush((labels, count) => metrics.kubePluginEvaluations.inc(labels, count)),
    task(operation) {
      metrics.kubeGoroutines.inc({ operation })
      return () => metrics.kubeGoroutines.dec({ operation })
    },
    eventHandled: (event, ms) => metrics.kubeEventHandling.observe({ event }, ms / 1_000),
    nextHookMeter: (profile) => (attempts++ % ATTEMPTS_PER_MEASUREMENT === 0 ? createMeter(profile) : undefined),
    extensionPoint: (point, status, profile, ms) =>
      metrics.kubeExtensionPointDuration.observe({ extension_point: point, status, profile }, ms / 1_000),
    permitWait: (result, ms) => metrics.kubePermitWait.observe({ result }, ms / 1_000),
    nodeChosen(ms) {
      metrics.schedulingDuration.observe(ms / 1_000)
      metrics.kubeAlgorithmDuration.observe(ms / 1_000)
    },
    attempt(result, profile, ms) {
      metrics.attempts.inc({ result, profile })
      metrics.kubeAttempts.inc({ result, profile })
      metrics.attemptDuration.observe({ result, profile }, ms / 1_000)
      metrics.kubeAttemptDuration.observe({ result, profile }, ms / 1_000)
    },
    rejected(rejectors) {
      for (const plugin of rejectors) {
        if (plugin === UNSUPPORTED_REJECTOR) metrics.refusals.inc()
        else metrics.pluginRejections.inc({ plugin })
      }
    },
    scheduled({ firstSeenMs, firstAttemptMs = firstSeenMs, attempts: count }) {
      const nowMs = clock.monotonic()
      metrics.podDuration.observe((nowMs - firstSeenMs) / 1_000)
      metrics.podAttempts.observe(count)
      const label = count > MAX_ATTEMPTS_LABEL ? `${MAX_ATTEMPTS_LABEL + 1}+` : String(count)
      metrics.kubePodDuration.observe({ attempts: label }, (nowMs - firstAttemptMs) / 1_000)
      metrics.kubePodAttempts.observe(count)
    },
    preemptionAttempt() {
      metrics.preemptionAttempts.inc()
      metrics.kubePreemptionAttempts.inc()
    },
    preempted(victims) {
      metrics.preemptionVictims.observe(victims)
      metrics.kubePreemptionVictims.observe(victims)
    },
    bind(outcome, ms) {
      metrics.binds.inc({ outcome })
      metrics.bindDuration.observe(ms / 1_000)
    },
    volumesFailed: (operation) => metrics.kubeVolumeErrors.inc({ operation }),
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
