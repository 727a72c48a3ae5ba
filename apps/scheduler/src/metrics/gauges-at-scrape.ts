import type { ClusterView } from '@berth/cluster-view'
import type { EventRecorder } from '@berth/k8s-client'
import type { MetricsText } from '@berth/process/metrics'
import type { QueueCounts } from '../queue/scheduling-queue.ts'
import type { SchedulerMetrics } from './metric-definitions.ts'

/** Returns the registry with gauges that are set at each scrape. */
export function setGaugesAtScrape(
  registry: MetricsText,
  metrics: SchedulerMetrics,
  sources: {
    readonly scheduler: { counts(): QueueCounts }
    readonly view: Pick<ClusterView, 'ageMs'>
    readonly events: Pick<EventRecorder, 'stats'>
    readonly mayWrite: () => boolean
  },
): MetricsText {
  return {
    contentType: registry.contentType,
    metrics: () => {
      const { active, backoff, unschedulable, gated, inFlight } = sources.scheduler.counts()
      for (const [queue, count] of Object.entries({ active, backoff, unschedulable, gated, in_flight: inFlight })) {
        metrics.pendingPods.set({ queue }, count)
      }
      metrics.eventsWaiting.set(sources.events.stats().waiting)
      const ageMs = sources.view.ageMs()
      if (Number.isFinite(ageMs)) metrics.viewAge.set(ageMs / 1_000)
      metrics.leader.set(sources.mayWrite() ? 1 : 0)
      return registry.metrics()
    },
  }
}
