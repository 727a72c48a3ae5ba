import type { AlertGroup } from './alert.ts'

/** Alerts about every app. */
export const sharedAlerts: AlertGroup = {
  name: 'berth',
  app: undefined,
  alerts: [
    {
      name: 'BerthTargetDown',
      severity: 'warning',
      holdsFor: '10m',
      expr: 'up{job="$job"} == 0',
      summary: 'Prometheus cannot read the metrics of a pod of Berth.',
      description:
        '{{ $labels.instance }} has not answered for 10 minutes, so that no other alert can report its failures.',
    },
  ],
}
