/** Metrics, defined as data so that docs/metrics.md comes from the same definitions. The only part that loads prom-client. */
export { defineMetrics } from './metrics/define-metrics.ts'
export type { MetricDefinition, MetricType } from './metrics/define-metrics.ts'
export { createMetrics } from './metrics/create-metrics.ts'
export type {
  Counter,
  CreateMetricsOptions,
  Gauge,
  Histogram,
  Instruments,
  Metrics,
  MetricsText,
} from './metrics/create-metrics.ts'
