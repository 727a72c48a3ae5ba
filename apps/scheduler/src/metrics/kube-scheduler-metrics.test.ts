import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kubeSchedulerMetrics } from './kube-scheduler-metrics.ts'

interface UpstreamMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  /** Start, factor and count. */
  readonly exponentialBuckets?: readonly [number, number, number]
}

// The definitions of kube-scheduler v1.36.3, read from the Go module: pkg/scheduler/metrics/metrics.go, and those of
// VolumeBinding from its own metrics.go.
const upstream = JSON.parse(
  readFileSync(new URL('../../test/kube-scheduler-config/metrics.json', import.meta.url), 'utf8'),
) as readonly UpstreamMetric[]

test.for(Object.values(kubeSchedulerMetrics))("$name has kube-scheduler's type, labels and buckets", (metric) => {
  const { name, type, labelNames, buckets } = { labelNames: [], buckets: [], ...metric }
  const own = upstream.find((each) => each.name === name)
  expect({ name, type, labels: labelNames }).toEqual({ name, type: own?.type, labels: own?.labels })
  const [start = 0, factor = 0, count = 0] = own?.exponentialBuckets ?? []
  expect(buckets).toHaveLength(count)
  for (const [i, bound] of buckets.entries()) expect(bound).toBeCloseTo(start * factor ** i, 12)
})
