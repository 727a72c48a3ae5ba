/** Series of a unit test of Prometheus, one sample a minute: selector -> values in the notation of promtool. */
export type InputSeries = Readonly<Record<string, string>>

/** When an alert fires, and when it does not. */
export interface AlertCase {
  readonly fires: InputSeries
  /** Labels of the alert that fires, without its severity. */
  readonly labels: Readonly<Record<string, string>>
  /** A healthy installation, or the nearest thing to a fault that is none. */
  readonly silent: InputSeries
}

const I = 'job="j", instance="i"'
const at = { job: 'j', instance: 'i' }
const series = (metric: string, labels = ''): string => `${metric}{${I}${labels === '' ? '' : `, ${labels}`}}`
const ALWAYS = (value: number): string => `${value}x120`
const RISES = (perMinute: number): string => `0+${perMinute}x120`
/** One event after 110 of 120 minutes. */
const ONCE = '0x110 1x10'

const leader = series('berth_scheduler_is_leader')
const active = series('berth_scheduler_pending_pods', 'queue="active"')
const attempts = (result: string): string => series('berth_scheduler_attempts_total', `result="${result}", profile="p"`)
const binds = (outcome: string): string => series('berth_scheduler_bind_total', `outcome="${outcome}"`)
const calls = (result: string): string =>
  series('berth_scheduler_extender_calls_total', `verb="filter", result="${result}"`)
const requests = (result: string): string => series('berth_extender_calls_total', `verb="filter", result="${result}"`)
const expiry = series('berth_extender_certificate_expiry_timestamp_seconds', 'certificate="client"')
const authorityExpiry = (certificate: string): string =>
  series('berth_authority_certificate_expiry_timestamp_seconds', `certificate="${certificate}"`)
const dongle = 'resource_name="example.com/dongle"'
const dongleLabel = { resource_name: 'example.com/dongle' }
const reload = (app: string, result: string): string =>
  series(`berth_${app}_config_reloads_total`, `result="${result}"`)
const allocations = (result: string): string =>
  series('berth_device_plugin_allocations_total', `${dongle}, result="${result}"`)
const streams = series('berth_device_plugin_streams', dongle)
const standingBy = series('berth_device_plugin_standing_by')
const dropped = (cause: string): string =>
  series('berth_scheduler_events_dropped_total', `reason="r", cause="${cause}"`)
const objects = (state: string): string => series('berth_advertiser_objects', `state="${state}"`)

/** The cases of every alert, by its name. */
export const alertCases: Readonly<Record<string, AlertCase>> = {
  BerthTargetDown: { fires: { [series('up')]: ALWAYS(0) }, labels: at, silent: { [series('up')]: '1x110 0 0 0 1x10' } },
  BerthSchedulerNoLeader: { fires: { [leader]: ALWAYS(0) }, labels: {}, silent: { [leader]: ALWAYS(1) } },
  BerthSchedulerViewStale: {
    fires: { [series('berth_scheduler_view_age_seconds')]: ALWAYS(300) },
    labels: at,
    silent: { [series('berth_scheduler_view_age_seconds')]: ALWAYS(70) },
  },
  BerthSchedulerStuck: {
    fires: { [leader]: ALWAYS(1), [active]: ALWAYS(3), [attempts('scheduled')]: ALWAYS(9) },
    labels: { job: 'j' },
    // The leader has nothing to do, and a standby has pods in its queue.
    silent: {
      [leader]: ALWAYS(1),
      [active]: ALWAYS(0),
      'berth_scheduler_is_leader{job="j", instance="s"}': ALWAYS(0),
      'berth_scheduler_pending_pods{job="j", instance="s", queue="active"}': ALWAYS(3),
    },
  },
  BerthSchedulerErrors: {
    fires: { [attempts('scheduled')]: RISES(90), [attempts('error')]: RISES(10) },
    labels: { job: 'j' },
    silent: {
      [attempts('scheduled')]: RISES(99),
      [attempts('unschedulable')]: RISES(50),
      [attempts('error')]: RISES(1),
    },
  },
  BerthSchedulerBindsFail: {
    fires: { [binds('bound')]: RISES(80), [binds('unknown')]: RISES(20) },
    labels: { job: 'j' },
    silent: { [binds('bound')]: RISES(80), [binds('gone')]: RISES(20), [binds('conflict')]: RISES(1) },
  },
  BerthSchedulerExtenderErrors: {
    fires: { [calls('ok')]: RISES(90), [calls('ignored')]: RISES(10) },
    labels: { job: 'j', verb: 'filter' },
    silent: { [calls('ok')]: RISES(100), [calls('error')]: RISES(1) },
  },
  BerthSchedulerEventsDropped: {
    fires: { [dropped('queue-full')]: RISES(1) },
    labels: { job: 'j', cause: 'queue-full' },
    silent: { [dropped('replaced')]: RISES(5), [dropped('rejected')]: ONCE },
  },
  BerthSchedulerKubeletRejections: {
    fires: { [series('berth_scheduler_kubelet_rejections_total', 'reason="OutOfcpu"')]: RISES(1) },
    labels: { job: 'j', reason: 'OutOfcpu' },
    silent: { [series('berth_scheduler_kubelet_rejections_total', 'reason="OutOfcpu"')]: ONCE },
  },
  BerthSchedulerUnreadableObjects: {
    fires: {
      [series('berth_scheduler_unreadable_pods_total')]: ONCE,
      [series('berth_scheduler_unreadable_pod_groups_total')]: ALWAYS(0),
    },
    labels: at,
    silent: {
      [series('berth_scheduler_unreadable_pods_total')]: ALWAYS(4),
      [series('berth_scheduler_unreadable_pod_groups_total')]: ALWAYS(0),
    },
  },
  BerthExtenderAbsent: {
    fires: { [leader]: ALWAYS(1) },
    labels: { job: 'j' },
    silent: { [series('berth_extender_whole_node_calls_total')]: ALWAYS(0) },
  },
  BerthExtenderViewStale: {
    fires: { [series('berth_extender_view_age_seconds')]: ALWAYS(300) },
    labels: at,
    silent: { [series('berth_extender_view_age_seconds')]: ALWAYS(70) },
  },
  // The tests begin at the time 0.
  BerthExtenderCertificateExpires: {
    fires: { [expiry]: ALWAYS(6 * 86_400) },
    labels: { ...at, certificate: 'client' },
    silent: { [expiry]: ALWAYS(10 * 86_400) },
  },
  BerthAuthorityAbsent: {
    fires: { [leader]: ALWAYS(1) },
    labels: { job: 'j' },
    silent: { [series('berth_authority_rotations_total', 'result="ok"')]: RISES(1) },
  },
  BerthAuthorityFails: {
    fires: { [series('berth_authority_last_success_timestamp_seconds')]: ALWAYS(60) },
    labels: { job: 'j' },
    // The replica that waits for the Lease has never checked anything.
    silent: {
      [series('berth_authority_last_success_timestamp_seconds')]: RISES(60),
      'berth_authority_last_success_timestamp_seconds{job="j", instance="s"}': ALWAYS(0),
    },
  },
  BerthAuthorityRestartKubeScheduler: {
    fires: { [series('berth_authority_outdated_schedulers')]: ALWAYS(2) },
    labels: { job: 'j' },
    silent: { [series('berth_authority_outdated_schedulers')]: '1x40 0x80' },
  },
  BerthAuthorityHostFilesExpire: {
    fires: { [expiry]: ALWAYS(20 * 86_400), [authorityExpiry('host-client')]: ALWAYS(80 * 86_400) },
    labels: { ...at, certificate: 'client' },
    // Without host files, the kubelet copies the certificate.
    silent: { [expiry]: ALWAYS(20 * 86_400), [authorityExpiry('client')]: ALWAYS(30 * 86_400) },
  },
  BerthAuthorityHostFilesRoll: {
    fires: { [authorityExpiry('next-authority')]: ALWAYS(9), [authorityExpiry('host-client')]: ALWAYS(9) },
    labels: { ...at, certificate: 'next-authority' },
    silent: { [authorityExpiry('next-authority')]: ALWAYS(9), [authorityExpiry('client')]: ALWAYS(9) },
  },
  BerthExtenderCallsFail: {
    fires: { [requests('ok')]: RISES(90), [requests('refused')]: RISES(10) },
    labels: { job: 'j' },
    silent: { [requests('ok')]: RISES(100), [requests('refused')]: RISES(1) },
  },
  BerthExtenderForbiddenCalls: {
    fires: { [requests('forbidden')]: ONCE },
    labels: { job: 'j' },
    silent: { [requests('forbidden')]: ALWAYS(3), [requests('ok')]: RISES(9) },
  },
  BerthExtenderRetrySignalsFail: {
    fires: { [series('berth_extender_retry_signals_total', 'result="failed"')]: RISES(1) },
    labels: { job: 'j' },
    silent: {
      [series('berth_extender_retry_signals_total', 'result="failed"')]: ONCE,
      [series('berth_extender_retry_signals_total', 'result="sent"')]: RISES(1),
    },
  },
  BerthAdvertiserAbsent: {
    fires: { [leader]: ALWAYS(1) },
    labels: { job: 'j' },
    silent: { [series('berth_advertiser_unmatched_selections')]: ALWAYS(0) },
  },
  BerthAdvertiserConfigRefused: {
    fires: { [reload('advertiser', 'refused')]: ONCE },
    labels: at,
    silent: { [reload('advertiser', 'refused')]: ALWAYS(1), [reload('advertiser', 'applied')]: ONCE },
  },
  BerthAdvertiserConflicts: {
    fires: { [series('berth_advertiser_conflicts_nodes', `${dongle}, reason="foreign"`)]: ALWAYS(2) },
    labels: { job: 'j', ...dongleLabel, reason: 'foreign' },
    silent: {
      [series('berth_advertiser_conflicts_nodes', `${dongle}, reason="held"`)]: ALWAYS(2),
      [series('berth_advertiser_conflicts_nodes', `${dongle}, reason="foreign"`)]: ALWAYS(0),
    },
  },
  BerthAdvertiserReconcileFails: {
    fires: { [series('berth_advertiser_failures_total')]: RISES(1) },
    labels: at,
    silent: { [series('berth_advertiser_failures_total')]: ONCE },
  },
  BerthAdvertiserDrift: {
    fires: { [series('berth_advertiser_drift_total', dongle)]: RISES(1) },
    labels: { job: 'j', ...dongleLabel },
    // All kubelets are restarted once.
    silent: { [series('berth_advertiser_drift_total', dongle)]: '0x80 100x40' },
  },
  BerthAdvertiserSourceFails: {
    fires: { [series('berth_advertiser_source_failures_total', dongle)]: RISES(1) },
    labels: { job: 'j', ...dongleLabel },
    silent: { [series('berth_advertiser_source_failures_total', dongle)]: ONCE },
  },
  BerthAdvertiserObjectsRefused: {
    fires: { [objects('invalid')]: ALWAYS(1) },
    labels: { job: 'j', state: 'invalid' },
    silent: { [objects('declares')]: ALWAYS(4), [objects('deleted')]: ALWAYS(1) },
  },
  BerthDevicePluginNotServing: {
    fires: { [streams]: ALWAYS(0), [standingBy]: ALWAYS(0) },
    labels: { ...at, ...dongleLabel },
    silent: { [streams]: ALWAYS(0), [standingBy]: ALWAYS(1) },
  },
  BerthDevicePluginStandsBy: {
    fires: { [standingBy]: ALWAYS(1) },
    labels: at,
    silent: { [standingBy]: '0x110 1x5 0x5' },
  },
  BerthDevicePluginUnhealthyDevices: {
    fires: { [series('berth_device_plugin_unhealthy_devices', `${dongle}, cause="missing"`)]: ALWAYS(1) },
    labels: { ...at, ...dongleLabel, cause: 'missing' },
    silent: { [series('berth_device_plugin_unhealthy_devices', `${dongle}, cause="missing"`)]: ALWAYS(0) },
  },
  BerthDevicePluginDiscoveryFails: {
    fires: { [series('berth_device_plugin_discovery_failing', dongle)]: ALWAYS(1) },
    labels: { ...at, ...dongleLabel },
    silent: { [series('berth_device_plugin_discovery_failing', dongle)]: '0x110 1x3 0x7' },
  },
  BerthDevicePluginAllocationsFail: {
    fires: { [allocations('failed')]: RISES(1) },
    labels: { ...at, ...dongleLabel },
    silent: { [allocations('failed')]: ONCE, [allocations('ok')]: RISES(5) },
  },
  BerthDevicePluginConfigRefused: {
    fires: { [reload('device_plugin', 'refused')]: ONCE },
    labels: at,
    silent: { [reload('device_plugin', 'refused')]: ALWAYS(1), [reload('device_plugin', 'applied')]: ONCE },
  },
  BerthDevicePluginDoubleAssigned: {
    fires: { [series('berth_device_plugin_double_assigned_devices', dongle)]: ALWAYS(1) },
    labels: { ...at, ...dongleLabel },
    silent: { [series('berth_device_plugin_double_assigned_devices', dongle)]: ALWAYS(0) },
  },
}
