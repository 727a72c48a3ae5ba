import perfHooks from 'node:perf_hooks'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMetrics } from './create-metrics.ts'
import { defineMetrics } from './define-metrics.ts'
import type { MetricDefinition } from './define-metrics.ts'

const definitions = defineMetrics({
  attempts: { name: 'berth_sample_attempts_total', help: 'Attempts.', type: 'counter', labelNames: ['result'] },
  queue: { name: 'berth_sample_queue_pods', help: 'Pods in the queue.', type: 'gauge' },
  duration: {
    name: 'berth_sample_bind_duration_seconds',
    help: 'Time of a bind.',
    type: 'histogram',
    buckets: [0.1, 1],
  },
})

describe('createMetrics', () => {
  test('makes an instrument per definition, in a registry of its own', async () => {
    const [first, second] = [
      createMetrics('sample', { withProcess: false }),
      createMetrics('sample', { withProcess: false }),
    ]
    const { attempts, queue, duration } = first.instruments(definitions)
    second.instruments(definitions)
    attempts.inc({ result: 'bound' })
    queue.set(3)
    duration.observe(0.5)
    const text = await first.registry.metrics()
    expect(text).toContain('berth_sample_attempts_total{result="bound"} 1')
    expect(text).toContain('berth_sample_queue_pods 3')
    expect(text).toContain('berth_sample_bind_duration_seconds_bucket{le="1"} 1')
    expect(await second.registry.metrics()).not.toContain('result="bound"')
    expect(first.definitions()).toEqual(Object.values(definitions))
  })

  test('starts the series of initialLabels with 0, so that the first event is an increase', async () => {
    const metrics = createMetrics('sample', { withProcess: false })
    metrics.counter({ ...definitions.attempts, initialLabels: [{ result: 'error' }] })
    expect(await metrics.registry.metrics()).toContain('berth_sample_attempts_total{result="error"} 0')
  })

  test('adds the metrics of the process unless told otherwise', async () => {
    expect(await createMetrics('sample').registry.metrics()).toContain('process_resident_memory_bytes')
    expect(await createMetrics('sample', { withProcess: false }).registry.metrics()).not.toContain('process_')
  })

  test('does not wake the process for percentiles of the event loop without withEventLoopDelay', async () => {
    const monitor = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
    onTestFinished(() => monitor.mockRestore())
    const lagNames = async (withEventLoopDelay: boolean): Promise<readonly string[]> => {
      const text = await createMetrics('sample', { withEventLoopDelay }).registry.metrics()
      return [...text.matchAll(/^(nodejs_eventloop_lag\w*) /gm)].map(([, name = '']) => name)
    }
    expect(await lagNames(true)).toContain('nodejs_eventloop_lag_p99_seconds')
    expect(monitor).toHaveBeenLastCalledWith({ resolution: 10 })
    expect(await lagNames(false)).toEqual(['nodejs_eventloop_lag_seconds'])
    expect(monitor).toHaveBeenLastCalledWith({ resolution: 2 ** 31 - 1 })
  })

  test("accepts kube-scheduler's metrics under their own names", async () => {
    const metrics = createMetrics('sample', { withProcess: false })
    const name = 'scheduler_pending_pods'
    const { pending } = defineMetrics({ pending: { name, help: 'Pods.', type: 'gauge', isKubeScheduler: true } })
    metrics.gauge(pending).set(2)
    expect(await metrics.registry.metrics()).toContain('scheduler_pending_pods 2')
    expect(() => defineMetrics({ pending: { ...pending, isKubeScheduler: false } })).toThrow('berth_<component>')
  })

  test('refuses a metric of another component', () => {
    expect(() => createMetrics('other').counter(definitions.attempts)).toThrow('does not begin with berth_other_')
  })
})

describe('defineMetrics', () => {
  const base: MetricDefinition = { name: 'berth_sample_things_total', help: 'Things.', type: 'counter' }
  test.for([
    { it: 'a name of another shape', change: { name: 'sample_things_total' }, says: 'berth_<component>' },
    { it: 'a counter without _total', change: { name: 'berth_sample_things' }, says: '_total' },
    { it: 'a gauge with _total', change: { type: 'gauge' }, says: '_total' },
    {
      it: 'a unit that is not a base unit',
      change: { name: 'berth_sample_time_ms', type: 'gauge' },
      says: 'base unit',
    },
    { it: 'a missing help text', change: { help: '' }, says: 'help' },
    { it: 'buckets of a counter', change: { buckets: [1] }, says: 'buckets' },
  ] as const)('refuses $it', ({ change, says }) => {
    expect(() => defineMetrics({ one: { ...base, ...change } })).toThrow(says)
  })

  test('refuses the same name twice', () => {
    expect(() => defineMetrics({ one: base, two: base })).toThrow('another metric has this name')
  })
})
