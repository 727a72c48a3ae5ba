import type { ClusterView } from '@berth/cluster-view'
import type { EventRecorder } from '@berth/k8s-client'
import type { MetricsText } from '@berth/process/metrics'
import { isBound } from '@berth/resources'
import { schedulerNameOf } from '../queue/queued-pod.ts'
import type { PlacedPod, QueueCounts } from '../queue/scheduling-queue.ts'
import type { SchedulerMetrics } from './metric-definitions.ts'

/** Returns the registry with gauges and counts that are set at each scrape. */
export function setGaugesAtScrape(
  registry: MetricsText,
  metrics: SchedulerMetrics,
  sources: {
    readonly scheduler: {
      counts(): QueueCounts
      pods(): Iterable<PlacedPod>
      flushMetrics(): void
      readonly waitingPods: { readonly size: number }
    }
    readonly view: Pick<ClusterView, 'ageMs' | 'nodes' | 'pods' | 'stats'>
    readonly events: Pick<EventRecorder, 'stats'>
    readonly mayWrite: () => boolean
  },
): MetricsText {
  return {
    contentType: registry.contentType,
    metrics: () => {
      sources.scheduler.flushMetrics()
      const { active, backoff, unschedulable, gated, inFlight } = sources.scheduler.counts()
      for (const [queue, count] of Object.entries({ active, backoff, unschedulable, gated, in_flight: inFlight })) {
        metrics.pendingPods.set({ queue }, count)
        if (queue !== 'in_flight') metrics.kubePendingPods.set({ queue }, count)
      }
      metrics.waitingPods.set(sources.scheduler.waitingPods.size)
      metrics.eventsWaiting.set(sources.events.stats().waiting)
      setUnschedulable(metrics, sources.scheduler.pods())
      setCacheSize(metrics, sources.view)
      metrics.viewAge.set(sources.view.ageMs() / 1_000)
      metrics.leader.set(sources.mayWrite() ? 1 : 0)
      return registry.metrics()
    },
  }
}

function setUnschedulable(metrics: SchedulerMetrics, pods: Iterable<PlacedPod>): void {
  metrics.kubeUnschedulablePods.reset()
  for (const { place, info } of pods) {
    if (place !== 'unschedulable') continue
    const profile = schedulerNameOf(info.pod)
    for (const plugin of info.rejectors) metrics.kubeUnschedulablePods.inc({ plugin, profile })
  }
}

function setCacheSize(metrics: SchedulerMetrics, view: Pick<ClusterView, 'nodes' | 'pods' | 'stats'>): void {
  const { assumed } = view.stats()
  let bound = 0
  for (const pod of view.pods()) if (isBound(pod)) bound++
  let nodes = 0
  for (const _node of view.nodes()) nodes++
  for (const [type, count] of Object.entries({ nodes, pods: bound + assumed, assumed_pods: assumed })) {
    metrics.kubeCacheSize.set({ type }, count)
  }
}
