import { MetricError } from '../errors.ts'

/** Kinds of metrics that Berth uses. */
export type MetricType = 'counter' | 'gauge' | 'histogram'

/** Definition of one metric. */
export interface MetricDefinition {
  /** `berth_<component>_<thing>_<unit>`, base units (seconds, bytes); a counter ends in `_total`. */
  readonly name: string
  /** One sentence. */
  readonly help: string
  readonly type: MetricType
  /** Label names with few values (`resource_name`, `result`), never the name of a pod or a node. Default: none. */
  readonly labelNames?: readonly string[]
  /** Label values of series that exist from the start with 0, so that Prometheus sees their first event as an increase. */
  readonly initialLabels?: readonly Readonly<Record<string, string>>[]
  /** Upper bounds of a histogram, rising, in the unit of the name. */
  readonly buckets?: readonly number[]
  /** Whether kube-scheduler defines the metric. Its name then begins with `scheduler_`, so that its dashboards work. */
  readonly isKubeScheduler?: boolean
}

const namePattern = /^berth(?:_[a-z0-9]+){2,}$/
const kubeSchedulerPattern = /^scheduler(?:_[a-z0-9]+)+$/

/**
 * Checks definitions and returns them with their literal types. An app exports the result from
 * `apps/<app>/src/metrics.ts` as `metricDefinitions`, and that file does nothing else when it is imported:
 * tools/generate.ts imports it to write docs/metrics.md.
 *
 * @throws MetricError BERTH_METRIC_NAME naming metric and rule.
 */
export function defineMetrics<const Definitions extends Readonly<Record<string, MetricDefinition>>>(
  definitions: Definitions,
): Definitions {
  const names = new Set<string>()
  for (const definition of Object.values(definitions)) {
    const fault = names.has(definition.name) ? 'another metric has this name' : metricFault(definition)
    if (fault !== undefined) {
      throw new MetricError(`define metric ${definition.name}: ${fault}`, { code: 'BERTH_METRIC_NAME' })
    }
    names.add(definition.name)
  }
  return definitions
}

function metricFault({ name, type, help, buckets, isKubeScheduler }: MetricDefinition): string | undefined {
  if (isKubeScheduler === true ? !kubeSchedulerPattern.test(name) : !namePattern.test(name)) {
    return `the name is not ${isKubeScheduler === true ? 'scheduler' : 'berth_<component>'}_<thing>_<unit>`
  }
  if (name.endsWith('_total') !== (type === 'counter')) return 'exactly the counters must end in _total'
  if (/_(?:ms|milliseconds|kb|mb|mib)$/.test(name)) return 'the unit is not a base unit'
  if (help === '') return 'it has no help text'
  if (buckets !== undefined && type !== 'histogram') return 'only histograms have buckets'
  return undefined
}
