/** An alert of the chart's PrometheusRule. Its runbook page is `docs/runbook/<name>.md`. */
export interface Alert {
  /** Begins with `Berth`. */
  readonly name: string
  /** `critical`: pods are not scheduled or devices are not handed out. `warning`: act within a day. */
  readonly severity: 'critical' | 'warning'
  /** Duration for which the expression must hold, for example `5m`. */
  readonly holdsFor: string
  /** PromQL. `$job` stands for the value of the label `job`. */
  readonly expr: string
  /** One sentence. Both texts may contain `{{ $labels.NAME }}`, as in Prometheus. */
  readonly summary: string
  readonly description: string
}

/** The alerts that the chart installs together. */
export interface AlertGroup {
  /** Name of the group, and of the section of the runbook. */
  readonly name: string
  /** Key of the app in values.yaml. The group is omitted where the app is not installed. Undefined: always installed. */
  readonly app: 'scheduler' | 'extender' | 'authority' | 'advertiser' | 'devicePlugin' | undefined
  /** Kubernetes versions on which the alerts are true, as a semantic version range. Undefined: all. */
  readonly kubeVersion?: string
  readonly alerts: readonly Alert[]
}
