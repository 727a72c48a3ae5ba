/** One query of a panel. */
export interface PanelQuery {
  /** PromQL. `$job` is a variable of the dashboard, and `$__rate_interval` one of Grafana. */
  readonly expr: string
  /** Name of the series, for example `{{resource_name}}`. */
  readonly legend: string
}

/** One graph of a dashboard. */
export interface Panel {
  readonly title: string
  /** Unit of Grafana. Default: a number. */
  readonly unit?: 's' | 'bytes' | 'ops' | 'dtdurations'
  readonly queries: readonly PanelQuery[]
}

/** A Grafana dashboard about one app. */
export interface Dashboard {
  /** Key of the app in values.yaml without which the dashboard is omitted. */
  readonly app: 'scheduler' | 'extender' | 'advertiser' | 'devicePlugin'
  /** Name of the file, and identity of the dashboard in Grafana. */
  readonly name: string
  readonly title: string
  /** A metric that every process of the app has. It selects the processes among those with the same `job`. */
  readonly presence: string
  readonly panels: readonly Panel[]
}

/** Returns the panels of the dashboard with those about the processes of the app. */
export function allPanels({ panels, presence }: Dashboard): readonly Panel[] {
  const ofApp = `and on (job, instance) ${presence}{job="$job"}`
  return [
    ...panels,
    {
      title: 'Memory',
      unit: 'bytes',
      queries: [{ expr: `process_resident_memory_bytes{job="$job"} ${ofApp}`, legend: '{{instance}}' }],
    },
    {
      title: 'CPU',
      unit: 's',
      queries: [
        {
          expr: `rate(process_cpu_seconds_total{job="$job"}[$__rate_interval]) ${ofApp}`,
          legend: '{{instance}}',
        },
      ],
    },
  ]
}

/** Returns a query for the rate of a counter, by some labels. */
export function rateBy(metric: string, ...labels: readonly string[]): PanelQuery {
  return {
    expr: `sum by (${labels.join(', ')}) (rate(${metric}{job="$job"}[$__rate_interval]))`,
    legend: labels.map((label) => `{{${label}}}`).join(' '),
  }
}

/** Returns queries for the median and the 99th percentile of a histogram. */
export function percentiles(histogram: string): readonly PanelQuery[] {
  return [
    { quantile: 0.5, legend: 'p50' },
    { quantile: 0.99, legend: 'p99' },
  ].map(({ quantile, legend }) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket{job="$job"}[$__rate_interval])))`,
    legend,
  }))
}

/** Returns a query for a gauge, summed by some labels. */
export function sumBy(metric: string, ...labels: readonly string[]): PanelQuery {
  return {
    expr: `sum by (${labels.join(', ')}) (${metric}{job="$job"})`,
    legend: labels.map((label) => `{{${label}}}`).join(' '),
  }
}

/** Returns the panel that shows how long ago an app with a view of the cluster read it. */
export function viewAge(app: 'scheduler' | 'extender'): Panel {
  return {
    title: 'Age of the cached cluster state',
    unit: 's',
    queries: [sumBy(`berth_${app}_view_age_seconds`, 'instance')],
  }
}
