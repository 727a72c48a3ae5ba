import { defineMetrics } from '@berth/process/metrics'

/** Definitions of the metrics of the process that advertises. */
export const advertisingMetricDefinitions = defineMetrics({
  advertisedUnits: {
    name: 'berth_advertiser_advertised_units',
    help: 'Units that Berth advertises, summed over the nodes.',
    type: 'gauge',
    labelNames: ['resource_name'],
  },
  conflicts: {
    name: 'berth_advertiser_conflicts_nodes',
    help: 'Nodes with a resource that is currently not written as declared, by reason (foreign, foreign-owner, device-plugin, device-class, held, ambiguous, unknown, unreadable-ownership).',
    type: 'gauge',
    labelNames: ['resource_name', 'reason'],
  },
  unmatched: {
    name: 'berth_advertiser_unmatched_selections',
    help: 'Node names and node selectors in the configuration that match no node.',
    type: 'gauge',
  },
  changes: {
    name: 'berth_advertiser_changes_total',
    help: 'Changes written to nodes, by kind (set, withdraw, record, clear).',
    type: 'counter',
    labelNames: ['resource_name', 'kind'],
  },
  drift: {
    name: 'berth_advertiser_drift_total',
    help: 'Times that another writer changed an advertised value and the advertiser restored it.',
    type: 'counter',
    labelNames: ['resource_name'],
  },
  retries: {
    name: 'berth_advertiser_write_conflicts_total',
    help: 'Writes that the API server refused because the node had changed (409 Conflict); they are retried.',
    type: 'counter',
  },
  failures: {
    name: 'berth_advertiser_failures_total',
    help: 'Failed attempts to reconcile a node.',
    type: 'counter',
  },
  objects: {
    name: 'berth_advertiser_objects',
    help: 'ExtendedResource objects by what they mean: declares, notallowed, invalid, deleted, foreign.',
    type: 'gauge',
    labelNames: ['state'],
  },
  objectFailures: {
    name: 'berth_advertiser_object_failures_total',
    help: 'Failed attempts to write an ExtendedResource object: its finalizer or its status.',
    type: 'counter',
  },
  sourceAge: {
    name: 'berth_advertiser_source_age_seconds',
    help: 'Age of the oldest resource source value in use.',
    type: 'gauge',
    labelNames: ['resource_name'],
  },
  sourceFailures: {
    name: 'berth_advertiser_source_failures_total',
    help: 'Queries to a resource source that failed or timed out.',
    type: 'counter',
    labelNames: ['resource_name'],
  },
  configReloads: {
    name: 'berth_advertiser_config_reloads_total',
    help: 'Reloads of the configuration file, by result (applied, refused).',
    type: 'counter',
    labelNames: ['result'],
    initialLabels: [{ result: 'applied' }, { result: 'refused' }],
  },
})

/** Definitions of the metrics of the command `evict`. */
export const evictionMetricDefinitions = defineMetrics({
  evictions: {
    name: 'berth_advertiser_evictions_total',
    help: 'Attempts to evict pods that hold an Unhealthy device, by result (evicted, would-evict, blocked by a PodDisruptionBudget, failed, exempt).',
    type: 'counter',
    labelNames: ['resource_name', 'result'],
  },
  unhealthyPods: {
    name: 'berth_advertiser_unhealthy_device_pods',
    help: 'Pods that hold an Unhealthy device of the configured resources.',
    type: 'gauge',
  },
  silentPods: {
    name: 'berth_advertiser_unreported_device_pods',
    help: 'Pods that hold devices of the configured resources, and whose status does not report the health of these.',
    type: 'gauge',
  },
})

/** Definitions of all metrics of the advertiser. */
export const metricDefinitions = { ...advertisingMetricDefinitions, ...evictionMetricDefinitions }
