import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { MetricError } from '../errors.ts'
import type { MetricDefinition } from './define-metrics.ts'

export type { Counter, Gauge, Histogram } from 'prom-client'

/** The text of /metrics, which the health server serves. */
export interface MetricsText {
  readonly contentType: string
  metrics(): Promise<string>
}

/** Options of {@link createMetrics}. */
export interface CreateMetricsOptions {
  /** Whether to add the metrics of the process and Node (memory, CPU, event loop). Default: true. */
  readonly withProcess?: boolean
  /**
   * Whether to measure percentiles of the event loop's delay. A timer wakes the process 100 times a second for them, which
   * costs 0.4 % of a CPU. Default: true.
   */
  readonly withEventLoopDelay?: boolean
}

type Label<Definition extends MetricDefinition> = Definition extends { readonly labelNames: readonly (infer Name)[] }
  ? Name & string
  : never

/** An instrument for each definition, under the same key. */
export type Instruments<Definitions extends Readonly<Record<string, MetricDefinition>>> = {
  readonly [Key in keyof Definitions]: Definitions[Key]['type'] extends 'counter'
    ? Counter<Label<Definitions[Key]>>
    : Definitions[Key]['type'] extends 'gauge'
      ? Gauge<Label<Definitions[Key]>>
      : Histogram<Label<Definitions[Key]>>
}

/** The metrics of one process, in their own registry. */
export interface Metrics {
  readonly registry: Registry
  counter<const Definition extends MetricDefinition>(definition: Definition): Counter<Label<Definition>>
  gauge<const Definition extends MetricDefinition>(definition: Definition): Gauge<Label<Definition>>
  histogram<const Definition extends MetricDefinition>(definition: Definition): Histogram<Label<Definition>>
  /** One instrument per definition of `defineMetrics`. */
  instruments<const Definitions extends Readonly<Record<string, MetricDefinition>>>(
    definitions: Definitions,
  ): Instruments<Definitions>
  /** The instruments that were created so far. */
  definitions(): readonly MetricDefinition[]
}

// From half a millisecond to half a minute: scheduling calls at the low end, kubelet restarts at the high one.
const defaultBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Creates the metrics of one process. Does not use the global registry of prom-client, so that one test can create two.
 *
 * @param component - Second word of every name, as `scheduler` or `device-plugin` (written `device_plugin`).
 */
export function createMetrics(
  component: string,
  { withProcess = true, withEventLoopDelay = true }: CreateMetricsOptions = {},
): Metrics {
  const registry = new Registry()
  if (withProcess) addProcessMetrics(registry, withEventLoopDelay)
  const prefix = `berth_${component.replaceAll('-', '_')}_`
  const made: MetricDefinition[] = []
  const configuration = <Definition extends MetricDefinition>(definition: Definition) => {
    const { name, help, labelNames = [] } = definition
    if (definition.isKubeScheduler !== true && !name.startsWith(prefix)) {
      throw new MetricError(`create metric ${name}: it does not begin with ${prefix}`, { code: 'BERTH_METRIC_NAME' })
    }
    made.push(definition)
    return { name, help, labelNames: [...labelNames] as Label<Definition>[], registers: [registry] }
  }
  const metrics: Metrics = {
    registry,
    counter: (definition) => {
      const counter = new Counter(configuration(definition))
      for (const labels of definition.initialLabels ?? [])
        counter.inc(labels as Parameters<typeof counter.remove>[0], 0)
      return counter
    },
    gauge: (definition) => new Gauge(configuration(definition)),
    histogram: (definition) =>
      new Histogram({ ...configuration(definition), buckets: [...(definition.buckets ?? defaultBuckets)] }),
    instruments: <const Definitions extends Readonly<Record<string, MetricDefinition>>>(definitions: Definitions) =>
      Object.fromEntries(
        Object.entries(definitions).map(([key, definition]) => [key, metrics[definition.type](definition)]),
      ) as unknown as Instruments<Definitions>,
    definitions: () => made,
  }
  return metrics
}

/** Statistics of prom-client that come from a timer. `nodejs_eventloop_lag_seconds` is measured at each scrape. */
const TIMED_STATISTICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (statistic) => `nodejs_eventloop_lag_${statistic}_seconds`,
)
/** The maximum delay of a timer, in milliseconds. */
const NEVER_MS = 2 ** 31 - 1

function addProcessMetrics(registry: Registry, withEventLoopDelay: boolean): void {
  // prom-client always starts the timer and has no switch for it.
  collectDefaultMetrics({ register: registry, ...(!withEventLoopDelay && { eventLoopMonitoringPrecision: NEVER_MS }) })
  if (!withEventLoopDelay) for (const name of TIMED_STATISTICS) registry.removeSingleMetric(name)
}
