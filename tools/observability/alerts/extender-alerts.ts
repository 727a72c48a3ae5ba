import type { AlertGroup } from './alert.ts'

/** Alerts about the extender. */
export const extenderAlerts: AlertGroup = {
  name: 'berth-extender',
  app: 'extender',
  alerts: [
    {
      name: 'BerthExtenderAbsent',
      severity: 'critical',
      holdsFor: '5m',
      expr: 'absent(berth_extender_whole_node_calls_total{job="$job"})',
      summary: 'No extender runs.',
      description: 'Prometheus has seen no extender for 5 minutes. Pods with managed resources stay pending.',
    },
    {
      name: 'BerthExtenderViewStale',
      severity: 'critical',
      holdsFor: '2m',
      expr: 'berth_extender_view_age_seconds{job="$job"} > 120',
      summary: 'The extender does not see the changes of the cluster.',
      description:
        'The cached cluster state of {{ $labels.instance }} is older than 2 minutes. It refuses all pods above --max-view-age-seconds.',
    },
    {
      // cert-manager renews after two thirds of the lifetime: certificates of 30 days have 10 days left then.
      name: 'BerthExtenderCertificateExpires',
      severity: 'warning',
      holdsFor: '1h',
      expr: 'berth_extender_certificate_expiry_timestamp_seconds{job="$job"} - time() < 7 * 86400',
      summary: 'A certificate between kube-scheduler and the extender expires within a week.',
      description:
        'The certificate {{ $labels.certificate }} of {{ $labels.instance }} was not renewed. After it has expired, kube-scheduler cannot call the extender.',
    },
    {
      name: 'BerthExtenderCallsFail',
      severity: 'warning',
      holdsFor: '10m',
      expr: 'sum by (job) (rate(berth_extender_calls_total{job="$job", result!="ok"}[10m])) / sum by (job) (rate(berth_extender_calls_total{job="$job"}[10m])) > 0.05',
      summary: 'More than 5 % of the requests to the extender are answered with an error.',
      description: 'kube-scheduler retries the pods of these requests, and they stay pending.',
    },
    {
      name: 'BerthExtenderForbiddenCalls',
      severity: 'warning',
      holdsFor: '1m',
      expr: 'sum by (job) (increase(berth_extender_calls_total{job="$job", result="forbidden"}[30m])) > 0',
      summary: 'A caller without an allowed name in its certificate calls the extender.',
      description: 'The requests were refused. kube-scheduler presents a wrong certificate, or another program calls.',
    },
    {
      name: 'BerthExtenderRetrySignalsFail',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job) (increase(berth_extender_retry_signals_total{job="$job", result="failed"}[15m])) > 0',
      summary: 'The extender cannot tell kube-scheduler to retry rejected pods.',
      description: 'Rejected pods are retried only after 5 minutes, although units may have become free.',
    },
  ],
}
