import { createMetrics } from '@berth/process/metrics'
import { expect, test } from 'vitest'
import { setGaugesAtScrape } from './gauges-at-scrape.ts'
import { metricDefinitions } from './metric-definitions.ts'

test('a cluster state that was never read is infinitely old, and not up to date', async () => {
  const metrics = createMetrics('scheduler', { withProcess: false })
  const counts = { active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 }
  const { contentType } = metrics.registry
  const text = { contentType, metrics: () => metrics.registry.metrics() }
  const registry = setGaugesAtScrape(text, metrics.instruments(metricDefinitions), {
    scheduler: { counts: () => counts, pods: () => [], flushMetrics: () => {}, waitingPods: { size: 0 } },
    view: {
      ageMs: () => Infinity,
      nodes: () => [].values(),
      pods: () => [].values(),
      stats: () => ({ assumed: 0 }) as never,
    },
    events: { stats: () => ({ waiting: 0 }) as never },
    mayWrite: () => false,
  })
  expect(await registry.metrics()).toContain('berth_scheduler_view_age_seconds +Inf\n')
})
