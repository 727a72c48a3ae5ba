import type { AlertGroup } from './alert.ts'

/** Alerts about the scheduler. */
export const schedulerAlerts: AlertGroup = {
  name: 'berth-scheduler',
  app: 'scheduler',
  alerts: [
    {
      name: 'BerthSchedulerNoLeader',
      severity: 'critical',
      holdsFor: '2m',
      expr: 'absent(berth_scheduler_is_leader{job="$job"} == 1)',
      summary: 'No scheduler may schedule.',
      description: 'No replica of the scheduler has held the Lease for 2 minutes. Its pods stay pending.',
    },
    {
      name: 'BerthSchedulerViewStale',
      severity: 'critical',
      holdsFor: '2m',
      expr: 'berth_scheduler_view_age_seconds{job="$job"} > 120',
      summary: 'The scheduler does not see the changes of the cluster.',
      description:
        'The cached cluster state of {{ $labels.instance }} is older than 2 minutes, and scheduling pauses above --max-view-age-seconds.',
    },
    {
      // A standby also has active pods, because the leader's queue is not shared.
      name: 'BerthSchedulerStuck',
      severity: 'critical',
      holdsFor: '10m',
      expr: [
        'sum by (job) (berth_scheduler_pending_pods{job="$job", queue="active"} and on (job, instance) berth_scheduler_is_leader{job="$job"} == 1) > 0',
        'unless sum by (job) (increase(berth_scheduler_attempts_total{job="$job"}[5m])) > 0',
      ].join(' '),
      summary: 'Pods wait, but the scheduler does not attempt to schedule any.',
      description: 'The active queue of the leader has not been empty for 10 minutes, and no attempt has ended.',
    },
    {
      name: 'BerthSchedulerErrors',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job) (rate(berth_scheduler_attempts_total{job="$job", result="error"}[10m])) / sum by (job) (rate(berth_scheduler_attempts_total{job="$job"}[10m])) > 0.05',
      summary: 'More than 5 % of the scheduling attempts end with an error.',
      description: 'Attempts that end with an error say nothing about whether the pod fits. Their pods are retried.',
    },
    {
      name: 'BerthSchedulerBindsFail',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job) (rate(berth_scheduler_bind_total{job="$job", outcome=~"conflict|unknown|error"}[10m])) / sum by (job) (rate(berth_scheduler_bind_total{job="$job"}[10m])) > 0.1',
      summary: 'More than 10 % of the binds fail.',
      description:
        'The API server refuses binds or does not answer them, or a bind plugin fails. The pods are retried.',
    },
    {
      name: 'BerthSchedulerExtenderErrors',
      severity: 'warning',
      holdsFor: '10m',
      expr: 'sum by (job, verb) (rate(berth_scheduler_extender_calls_total{job="$job", result=~"error|ignored"}[10m])) / sum by (job, verb) (rate(berth_scheduler_extender_calls_total{job="$job"}[10m])) > 0.05',
      summary: 'More than 5 % of the calls of the scheduler to extenders fail.',
      description: 'Calls of the verb {{ $labels.verb }} fail. Pods that the extender manages are not scheduled.',
    },
    {
      name: 'BerthSchedulerEventsDropped',
      severity: 'warning',
      holdsFor: '5m',
      expr: 'sum by (job, cause) (increase(berth_scheduler_events_dropped_total{job="$job", cause=~"rejected|queue-full|invalid"}[30m])) > 10',
      summary: 'Events of the scheduler are lost.',
      description: 'More than 10 events were not written in 30 minutes ({{ $labels.cause }}). Pods lack their reasons.',
    },
    {
      name: 'BerthSchedulerKubeletRejections',
      severity: 'warning',
      holdsFor: '5m',
      expr: 'sum by (job, reason) (increase(berth_scheduler_kubelet_rejections_total{job="$job"}[30m])) > 3',
      summary: 'Kubelets reject pods that the scheduler has placed.',
      description:
        'More than 3 pods in 30 minutes were rejected with {{ $labels.reason }}: scheduler and kubelet count differently.',
    },
    {
      name: 'BerthSchedulerUnreadableObjects',
      severity: 'warning',
      holdsFor: '5m',
      expr: 'increase(berth_scheduler_unreadable_pods_total{job="$job"}[1h]) + increase(berth_scheduler_unreadable_pod_groups_total{job="$job"}[1h]) > 0',
      summary: 'The scheduler cannot read pods or pod groups, and does not schedule them.',
      description: 'The log of {{ $labels.instance }} names the objects and what is wrong with them.',
    },
  ],
}
