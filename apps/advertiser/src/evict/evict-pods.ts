import { backoffMs, jitter, pause } from '@berth/clock'
import { isApiStatus, resourceRefs, type ApiClient, type EvictOptions, type Reflector } from '@berth/k8s-client'
import type { Instruments } from '@berth/process/metrics'
import type { Clock, Logger, Pod, Random } from '@berth/types'
import { MAX_WATCH_SILENCE_MS } from '../report/readiness-checks.ts'
import type { DeviceOutages } from './device-outages.ts'
import { evictionExemption } from './eviction-exemption.ts'
import type { evictionMetricDefinitions } from '../metrics.ts'
import type { ReportEviction } from './eviction-reporter.ts'
import type { HealthReports } from './health-reports.ts'
import type { DuePod, UnhealthyPods } from './unhealthy-pods.ts'

const RETRY_LIMITS = { initialMs: 10_000, maxMs: 300_000 }
/** Interval at which the age of the view is checked, so that an outage of the watch is noticed. */
const TICK_MS = 30_000

/** Dependencies of {@link evictPods}. */
export interface EvictPodsOptions {
  readonly client: Pick<ApiClient, 'find' | 'evict'>
  readonly pods: Pick<Reflector<Pod>, 'subscribe' | 'lastEventAgeMs'>
  readonly unhealthy: UnhealthyPods
  readonly reports: HealthReports
  readonly outages: DeviceOutages
  /** Minimum time between two evictions. */
  readonly intervalMs: number
  /** Reports instead of evicting. */
  readonly dryRun: boolean
  /** Returns whether this process may still write. */
  readonly mayWrite: () => boolean
  readonly report: ReportEviction
  readonly metrics: Pick<Instruments<typeof evictionMetricDefinitions>, 'unhealthyPods' | 'silentPods'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/**
 * Evicts the pods that hold a device that has been Unhealthy for longer than the limit, one after the other, until the
 * signal aborts. Each pod is read again right before its eviction, which is tried in dry run first: a device that has
 * recovered meanwhile keeps its pod. A disruption budget (429), an error or an outage of the resource on many nodes delays
 * the pod, not the others.
 */
export async function evictPods(options: EvictPodsOptions, signal: AbortSignal): Promise<void> {
  const { pods, unhealthy, reports, outages, intervalMs, report, metrics, clock, log } = options
  let mayEvictAtMs = -Infinity
  let wake = new AbortController()
  let reported: string | undefined

  const end = pods.subscribe({
    onAdd: (pod) => take(pod),
    onUpdate: (_, pod) => take(pod),
    onDelete: ({ metadata: { uid = '' } }) => {
      unhealthy.remove(uid)
      reports.remove(uid)
      outages.remove(uid)
    },
  })

  function take(pod: Pod): void {
    const nowMs = clock.monotonic()
    reports.update(pod, nowMs)
    outages.update(pod)
    const before = unhealthy.size
    unhealthy.update(pod, nowMs)
    if (unhealthy.size > before) wake.abort()
  }

  /** Does one step of work, and returns the milliseconds until the next. */
  async function step(): Promise<number> {
    const nowMs = clock.monotonic()
    metrics.unhealthyPods.set(unhealthy.size)
    metrics.silentPods.set(reports.silent(nowMs))
    const problem = reports.problem(nowMs)
    if (problem !== undefined && problem !== reported) log.error({ reason: problem }, 'Cannot see unhealthy devices')
    reported = problem
    if (pods.lastEventAgeMs() > MAX_WATCH_SILENCE_MS) {
      unhealthy.restart(nowMs)
      return TICK_MS
    }
    const next = unhealthy.next(nowMs)
    if (typeof next === 'number') return Math.min(next, TICK_MS)
    const reason = evictionExemption(next.pod)
    if (reason !== undefined) {
      report(next, { kind: 'exempt', reason }, nowMs)
      unhealthy.finish(next.pod.metadata.uid ?? '')
      return 0
    }
    const message = outages.problem(next.device.resourceName)
    if (message !== undefined) {
      report(next, { kind: 'blocked', message, retryMs: retryLater(next) }, nowMs)
      return 0
    }
    if (mayEvictAtMs > nowMs) return Math.min(mayEvictAtMs - nowMs, TICK_MS)
    await evict(next)
    return 0
  }

  async function evict(due: DuePod): Promise<void> {
    const { uid = '' } = due.pod.metadata
    try {
      await tryEviction(uid, due)
    } catch (error) {
      if (signal.aborted) return
      const retryMs = retryLater(due, isApiStatus(error, 429) ? error.retryAfterMs : undefined)
      report(due, { kind: 'failed', error, retryMs }, clock.monotonic())
    }
  }

  async function tryEviction(uid: string, { pod: { metadata } }: DuePod): Promise<void> {
    const { name = '', namespace = '' } = metadata
    const call: EvictOptions = { signal, mayStart: options.mayWrite }
    const current = await options.client.find<Pod>(resourceRefs.pods, { namespace, name }, call)
    if (current?.metadata.uid !== uid) return unhealthy.remove(uid)
    unhealthy.update(current, clock.monotonic())
    const due = unhealthy.due(uid, clock.monotonic())
    if (due === undefined || evictionExemption(current) !== undefined) return
    const tried = await options.client.evict(current, { ...call, dryRun: true })
    if (tried.kind !== 'evicted') return settle(due, tried)
    if (options.dryRun) {
      mayEvictAtMs = clock.monotonic() + intervalMs
      report(due, { kind: 'would-evict' }, clock.monotonic())
      return unhealthy.finish(uid)
    }
    // Also counts an eviction whose answer is lost.
    mayEvictAtMs = clock.monotonic() + intervalMs
    settle(due, await options.client.evict(current, call))
  }

  function settle(due: DuePod, outcome: Awaited<ReturnType<ApiClient['evict']>>): void {
    const { uid = '' } = due.pod.metadata
    if (outcome.kind === 'gone') return unhealthy.remove(uid)
    if (outcome.kind === 'evicted') {
      report(due, { kind: 'evicted' }, clock.monotonic())
      return unhealthy.finish(uid)
    }
    const { message, retryAfterMs = 0 } = outcome
    report(due, { kind: 'blocked', message, retryMs: retryLater(due, retryAfterMs) }, clock.monotonic())
  }

  function retryLater({ pod, failures }: DuePod, atLeastMs = 0): number {
    const delayMs = Math.max(jitter(backoffMs(failures + 1, RETRY_LIMITS), 0.25, options.random), atLeastMs)
    unhealthy.retry(pod.metadata.uid ?? '', clock.monotonic() + delayMs)
    return delayMs
  }

  try {
    while (!signal.aborted) {
      wake = new AbortController()
      const waitMs = await step()
      if (waitMs > 0) await pause(clock, waitMs, AbortSignal.any([signal, wake.signal]))
    }
  } finally {
    end()
  }
}
