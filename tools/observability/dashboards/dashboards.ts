import { percentiles, rateBy, sumBy, viewAge, type Dashboard } from './dashboard.ts'

const scheduler: Dashboard = {
  app: 'scheduler',
  name: 'berth-scheduler',
  title: 'Berth / Scheduler',
  presence: 'berth_scheduler_is_leader',
  panels: [
    { title: 'Leader', queries: [sumBy('berth_scheduler_is_leader', 'instance')] },
    {
      title: 'Pending pods by queue (leader)',
      queries: [
        {
          expr: 'sum by (queue) (berth_scheduler_pending_pods{job="$job"} and on (job, instance) berth_scheduler_is_leader{job="$job"} == 1)',
          legend: '{{queue}}',
        },
      ],
    },
    { title: 'Attempts', unit: 'ops', queries: [rateBy('berth_scheduler_attempts_total', 'result')] },
    { title: 'Binds', unit: 'ops', queries: [rateBy('berth_scheduler_bind_total', 'outcome')] },
    {
      title: 'Time until a pod is bound',
      unit: 's',
      queries: percentiles('berth_scheduler_pod_scheduling_duration_seconds'),
    },
    { title: 'Duration of an attempt', unit: 's', queries: percentiles('berth_scheduler_attempt_duration_seconds') },
    { title: 'Duration of a bind', unit: 's', queries: percentiles('berth_scheduler_bind_duration_seconds') },
    {
      title: 'Rejections by plugin',
      unit: 'ops',
      queries: [rateBy('berth_scheduler_plugin_rejections_total', 'plugin')],
    },
    {
      title: 'Calls to extenders',
      unit: 'ops',
      queries: [rateBy('berth_scheduler_extender_calls_total', 'verb', 'result')],
    },
    {
      title: 'Duration of a call to an extender',
      unit: 's',
      queries: percentiles('berth_scheduler_extender_duration_seconds'),
    },
    {
      title: 'Rejections by kubelets',
      unit: 'ops',
      queries: [rateBy('berth_scheduler_kubelet_rejections_total', 'reason')],
    },
    { title: 'Dropped events', unit: 'ops', queries: [rateBy('berth_scheduler_events_dropped_total', 'cause')] },
    viewAge('scheduler'),
  ],
}

const extender: Dashboard = {
  app: 'extender',
  name: 'berth-extender',
  title: 'Berth / Extender',
  presence: 'berth_extender_whole_node_calls_total',
  panels: [
    { title: 'Requests', unit: 'ops', queries: [rateBy('berth_extender_calls_total', 'verb', 'result')] },
    { title: 'Duration of a request', unit: 's', queries: percentiles('berth_extender_call_duration_seconds') },
    { title: 'Filtered nodes', unit: 'ops', queries: [rateBy('berth_extender_judged_nodes_total', 'verdict')] },
    { title: 'Retry signals', unit: 'ops', queries: [rateBy('berth_extender_retry_signals_total', 'result')] },
    {
      title: 'Closed connections',
      unit: 'ops',
      queries: [rateBy('berth_extender_closed_connections_total', 'instance')],
    },
    {
      title: 'Time until a certificate expires',
      unit: 'dtdurations',
      queries: [
        {
          expr: 'min by (certificate) (berth_extender_certificate_expiry_timestamp_seconds{job="$job"}) - time()',
          legend: '{{certificate}}',
        },
      ],
    },
    viewAge('extender'),
  ],
}

const advertiser: Dashboard = {
  app: 'advertiser',
  name: 'berth-advertiser',
  title: 'Berth / Advertiser',
  presence: 'berth_advertiser_unmatched_selections',
  panels: [
    { title: 'Advertised units', queries: [sumBy('berth_advertiser_advertised_units', 'resource_name')] },
    { title: 'Changes', unit: 'ops', queries: [rateBy('berth_advertiser_changes_total', 'resource_name', 'kind')] },
    { title: 'Nodes with a conflict', queries: [sumBy('berth_advertiser_conflicts_nodes', 'resource_name', 'reason')] },
    { title: 'Drift', unit: 'ops', queries: [rateBy('berth_advertiser_drift_total', 'resource_name')] },
    { title: 'Failures to write nodes', unit: 'ops', queries: [rateBy('berth_advertiser_failures_total', 'instance')] },
    {
      title: 'Age of source values',
      unit: 's',
      queries: [sumBy('berth_advertiser_source_age_seconds', 'resource_name')],
    },
    {
      title: 'Failures of sources',
      unit: 'ops',
      queries: [rateBy('berth_advertiser_source_failures_total', 'resource_name')],
    },
    { title: 'ExtendedResource objects', queries: [sumBy('berth_advertiser_objects', 'state')] },
    { title: 'Selections that match no node', queries: [sumBy('berth_advertiser_unmatched_selections', 'instance')] },
  ],
}

const devicePlugin: Dashboard = {
  app: 'devicePlugin',
  name: 'berth-device-plugin',
  title: 'Berth / Device plugin',
  presence: 'berth_device_plugin_standing_by',
  panels: [
    { title: 'Devices', queries: [sumBy('berth_device_plugin_devices', 'resource_name', 'health')] },
    { title: 'Unhealthy devices', queries: [sumBy('berth_device_plugin_unhealthy_devices', 'resource_name', 'cause')] },
    { title: 'Streams of kubelets', queries: [sumBy('berth_device_plugin_streams', 'resource_name')] },
    {
      title: 'Allocations',
      unit: 'ops',
      queries: [rateBy('berth_device_plugin_allocations_total', 'resource_name', 'result')],
    },
    {
      title: 'Registrations',
      unit: 'ops',
      queries: [rateBy('berth_device_plugin_registrations_total', 'resource_name', 'result')],
    },
    { title: 'Failing discoveries', queries: [sumBy('berth_device_plugin_discovery_failing', 'resource_name')] },
    { title: 'Device lists', unit: 'ops', queries: [rateBy('berth_device_plugin_lists_total', 'resource_name')] },
  ],
}

/** All dashboards of the chart. */
export const dashboards: readonly Dashboard[] = [scheduler, extender, advertiser, devicePlugin]
