import type { AlertGroup } from './alert.ts'

/** Alerts about the advertiser. */
export const advertiserAlerts: AlertGroup = {
  name: 'berth-advertiser',
  app: 'advertiser',
  alerts: [
    {
      name: 'BerthAdvertiserAbsent',
      severity: 'warning',
      holdsFor: '10m',
      expr: 'absent(berth_advertiser_unmatched_selections{job="$job"})',
      summary: 'No advertiser runs.',
      description:
        'Prometheus has seen no advertiser for 10 minutes. Advertised amounts stay, but new nodes get none and drift is not restored.',
    },
    {
      name: 'BerthAdvertiserConfigRefused',
      severity: 'warning',
      holdsFor: '1m',
      expr: 'sum by (job, instance) (increase(berth_advertiser_config_reloads_total{job="$job", result="refused"}[30m])) > 0',
      summary: 'The advertiser refused a change of its configuration.',
      description: '{{ $labels.instance }} continues with the previous configuration.',
    },
    {
      // Units that running pods hold are kept on purpose.
      name: 'BerthAdvertiserConflicts',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job, resource_name, reason) (berth_advertiser_conflicts_nodes{job="$job", reason!="held"}) > 0',
      summary: 'A resource is not advertised as declared.',
      description: 'Nodes have a conflict about {{ $labels.resource_name }}: {{ $labels.reason }}.',
    },
    {
      name: 'BerthAdvertiserReconcileFails',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'increase(berth_advertiser_failures_total{job="$job"}[10m]) > 0',
      summary: 'The advertiser fails to write nodes.',
      description: '{{ $labels.instance }} has had failed attempts to reconcile a node for 15 minutes.',
    },
    {
      // Restarted kubelets reset values as well, so that only lasting drift is a fault.
      name: 'BerthAdvertiserDrift',
      severity: 'warning',
      holdsFor: '1h',
      expr: 'sum by (job, resource_name) (increase(berth_advertiser_drift_total{job="$job"}[15m])) > 5',
      summary: 'Another writer keeps changing an advertised value.',
      description: 'The advertiser has restored {{ $labels.resource_name }} again and again for an hour.',
    },
    {
      name: 'BerthAdvertiserSourceFails',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job, resource_name) (increase(berth_advertiser_source_failures_total{job="$job"}[10m])) > 0',
      summary: 'The source of a resource fails.',
      description:
        'Queries for {{ $labels.resource_name }} have failed for 15 minutes. Its last amount stays for keepSeconds.',
    },
    {
      name: 'BerthAdvertiserObjectsRefused',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job, state) (berth_advertiser_objects{job="$job", state=~"notallowed|invalid|foreign"}) > 0',
      summary: 'ExtendedResource objects have no effect.',
      description: 'Objects have had the state {{ $labels.state }} for 15 minutes, and advertise nothing.',
    },
  ],
}
