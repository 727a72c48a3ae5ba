import type { AlertGroup } from './alerts/alert.ts'

/** A group as the chart reads it: the group of a Prometheus rule file, and when the chart installs it. */
export interface ChartGroup {
  readonly app: string
  readonly kubeVersion: string
  readonly group: { readonly name: string; readonly rules: readonly PrometheusRule[] }
}

/** An alerting rule of a Prometheus rule file. */
export interface PrometheusRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** Returns the groups for the chart, which replaces `$job` and `$runbook`. An empty `app` or `kubeVersion` means all. */
export function prometheusGroups(groups: readonly AlertGroup[]): readonly ChartGroup[] {
  return groups.map(({ name: group, app = '', kubeVersion = '', alerts }) => ({
    app,
    kubeVersion,
    group: {
      name: group,
      rules: alerts.map(({ name, expr, holdsFor, severity, summary, description }) => ({
        alert: name,
        expr,
        for: holdsFor,
        labels: { severity },
        annotations: { summary, description, runbook_url: `$runbook/${name}.md` },
      })),
    },
  }))
}
