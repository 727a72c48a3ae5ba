import { defineMetrics } from '@berth/process/metrics'

/** Definitions of the device plugin's metrics. */
export const metricDefinitions = defineMetrics({
  devices: {
    name: 'berth_device_plugin_devices',
    help: 'Devices reported to the kubelet, by health (Healthy, Unhealthy).',
    type: 'gauge',
    labelNames: ['resource_name', 'health'],
  },
  unhealthyDevices: {
    name: 'berth_device_plugin_unhealthy_devices',
    help: 'Devices that are not healthy, by cause: source, discovery, missing, allocation, collision, or the type of the probe that fails. It includes devices that a probe removed.',
    type: 'gauge',
    labelNames: ['resource_name', 'cause'],
  },
  streams: {
    name: 'berth_device_plugin_streams',
    help: 'Open ListAndWatch streams of the kubelet. With 0, the kubelet does not count the resource.',
    type: 'gauge',
    labelNames: ['resource_name'],
  },
  standingBy: {
    name: 'berth_device_plugin_standing_by',
    help: '1 while the plugin waits until another process that serves from its socket directory has ended, otherwise 0.',
    type: 'gauge',
  },
  registrations: {
    name: 'berth_device_plugin_registrations_total',
    help: 'Registrations with the kubelet, by result (ok, failed).',
    type: 'counter',
    labelNames: ['resource_name', 'result'],
  },
  allocations: {
    name: 'berth_device_plugin_allocations_total',
    help: 'Allocate calls of the kubelet, by result (ok, failed).',
    type: 'counter',
    labelNames: ['resource_name', 'result'],
  },
  preStarts: {
    name: 'berth_device_plugin_pre_starts_total',
    help: 'PreStartContainer calls of the kubelet, by result (ok, failed). Only resources with preStart have them.',
    type: 'counter',
    labelNames: ['resource_name', 'result'],
  },
  podDevices: {
    name: 'berth_device_plugin_pod_devices',
    help: 'Devices that a pod holds, as the kubelet reports them. Only with podResources.',
    type: 'gauge',
    labelNames: ['resource_name', 'namespace', 'pod'],
  },
  doubleAssignedDevices: {
    name: 'berth_device_plugin_double_assigned_devices',
    help: 'Devices that two pods hold. Only with podResources. A kubelet older than 1.36 also reports pods that have finished.',
    type: 'gauge',
    labelNames: ['resource_name'],
  },
  podResourcesFailures: {
    name: 'berth_device_plugin_pod_resources_failures_total',
    help: 'Failed attempts to read which pod holds which device.',
    type: 'counter',
  },
  configReloads: {
    name: 'berth_device_plugin_config_reloads_total',
    help: 'Changes of the configuration file, by result (applied, refused). A refused one leaves the previous configuration in effect.',
    type: 'counter',
    labelNames: ['result'],
    initialLabels: [{ result: 'applied' }, { result: 'refused' }],
  },
  lists: {
    name: 'berth_device_plugin_lists_total',
    help: 'Device lists sent to the kubelet.',
    type: 'counter',
    labelNames: ['resource_name'],
  },
  discoveryFailing: {
    name: 'berth_device_plugin_discovery_failing',
    help: '1 while the last discovery failed or was incomplete, otherwise 0.',
    type: 'gauge',
    labelNames: ['resource_name'],
  },
  discoveryFailures: {
    name: 'berth_device_plugin_discovery_failures_total',
    help: 'Failures of a device source during discovery. The source is restarted.',
    type: 'counter',
    labelNames: ['resource_name'],
  },
})
