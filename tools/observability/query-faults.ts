import type { MetricDefinition } from '@berth/process/metrics'
import type { NamedQuery } from './queries.ts'
import { parseQuery, type QueryParts, type SeriesSelector } from './series-selectors.ts'

/** Labels that Prometheus and the PodMonitor add to every series. */
const TARGET_LABELS = ['job', 'instance']
/** Metrics of Prometheus and of prom-client, which no app defines. */
const FURTHER_METRICS = ['up', 'process_resident_memory_bytes', 'process_cpu_seconds_total']

/** A series name that a process exposes, with its labels. */
interface KnownSeries {
  readonly labels: ReadonlySet<string>
  /** The definition, which names the values of its labels. */
  readonly help: string | undefined
}

/**
 * Returns what is wrong with the queries: text that is not PromQL, a metric or a label that no app has, and a value of a
 * label that the metric's help does not name. An empty list means no faults.
 */
export function queryFaults(queries: readonly NamedQuery[], metrics: readonly MetricDefinition[]): readonly string[] {
  const series = knownSeries(metrics)
  return queries.flatMap(({ place, expr }) => {
    let parts: QueryParts
    try {
      parts = parseQuery(expr)
    } catch (error) {
      return [`${place}: ${String(error)}`]
    }
    const labels = new Set([
      ...TARGET_LABELS,
      ...parts.selectors.flatMap(({ metric }) => [...(series.get(metric)?.labels ?? [])]),
    ])
    return [
      ...parts.labels
        .filter((label) => !labels.has(label))
        .map((label) => `${place}: no metric has the label ${label}`),
      ...parts.selectors.flatMap((selector) => selectorFaults(selector, series)).map((fault) => `${place}: ${fault}`),
    ]
  })
}

function knownSeries(metrics: readonly MetricDefinition[]): ReadonlyMap<string, KnownSeries> {
  return new Map<string, KnownSeries>([
    ...FURTHER_METRICS.map((name) => [name, { labels: new Set(TARGET_LABELS), help: undefined }] as const),
    ...metrics.flatMap(({ name, type, labelNames = [], help }) => {
      const labels = new Set([...TARGET_LABELS, ...labelNames])
      return type === 'histogram'
        ? ([
            [`${name}_bucket`, { labels: new Set([...labels, 'le']), help }],
            [`${name}_sum`, { labels, help }],
            [`${name}_count`, { labels, help }],
          ] as const)
        : ([[name, { labels, help }]] as const)
    }),
  ])
}

function selectorFaults(
  { metric, matchers }: SeriesSelector,
  series: ReadonlyMap<string, KnownSeries>,
): readonly string[] {
  const known = series.get(metric)
  if (known === undefined) return [`no app has the metric ${metric}`]
  if (!matchers.some(({ label, operator, value }) => label === 'job' && operator === '=' && value === '$job'))
    return [`${metric} is read of all installations: select job="$job"`]
  return matchers.flatMap(({ label, value }) => {
    if (!known.labels.has(label)) return [`${metric} has no label ${label}`]
    if (label === 'job' || known.help === undefined) return []
    const words = new Set(known.help.split(/[^\w-]+/))
    return value
      .split('|')
      .filter((one) => !words.has(one))
      .map((one) => `the help of ${metric} does not name ${label}="${one}"`)
  })
}
