import { z } from 'zod'
import { alertGroups } from '../observability/alerts/alert-groups.ts'
import { noOwnLabels } from './value-rules.ts'
import { stringMap } from './workload-keys.ts'

/** The keys of values.yaml for metrics, alerts and dashboards. */
export const monitoringKeys = {
  podMonitor: z
    .strictObject({
      enabled: z.boolean().describe('Create a PodMonitor. Requires the Prometheus operator.'),
      interval: z
        .string()
        .regex(/^\d+(?:ms|s|m|h)$/)
        .describe('Scrape interval.'),
      labels: stringMap('Additional labels of the PodMonitor, for example those that your Prometheus selects.').meta(
        noOwnLabels,
      ),
    })
    .describe('PodMonitor for the metrics of the apps.'),
  prometheusRule: z
    .strictObject({
      enabled: z.boolean().describe('Create a PrometheusRule with the alerts. Requires the Prometheus operator.'),
      labels: stringMap(
        'Additional labels of the PrometheusRule, for example those that your Prometheus selects.',
      ).meta(noOwnLabels),
      // Both become part of queries and of YAML as they are.
      job: z
        .string()
        .regex(/^[-\w./:]*$/)
        .describe('Label `job` of the series. Empty: that of the PodMonitor of this chart.'),
      runbookUrl: z
        .string()
        .regex(/^(?:[-\w.~:/%+@]*[-\w.~%+@])?$/)
        .describe('URL of the folder with the runbook, without `/` at the end. The alerts link to its pages.'),
      disabled: z
        .array(z.enum(alertGroups.flatMap(({ alerts }) => alerts.map(({ name }) => name))))
        .describe('Alerts to leave out.'),
    })
    .describe('Alerts about the apps.'),
  dashboards: z
    .strictObject({
      enabled: z.boolean().describe('Create a ConfigMap with a Grafana dashboard for each app.'),
      namespace: z.string().describe('Namespace of the ConfigMaps. Empty: that of the release.'),
      labels: stringMap("Labels that Grafana's sidecar selects.").meta(noOwnLabels),
      annotations: stringMap('Annotations of the ConfigMaps, for example the folder in Grafana.'),
    })
    .describe('Grafana dashboards of the apps.'),
} as const
