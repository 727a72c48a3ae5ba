import type { AlertGroup } from './alert.ts'

/** Alerts about the device plugin. */
export const devicePluginAlerts: AlertGroup = {
  name: 'berth-device-plugin',
  app: 'devicePlugin',
  alerts: [
    {
      // The new pod of an update waits for the old one and has no stream yet.
      name: 'BerthDevicePluginNotServing',
      severity: 'critical',
      holdsFor: '5m',
      expr: 'berth_device_plugin_streams{job="$job"} == 0 unless on (job, instance) berth_device_plugin_standing_by{job="$job"} == 1',
      summary: 'A kubelet does not listen to the device plugin.',
      description: 'The kubelet of {{ $labels.instance }} does not count {{ $labels.resource_name }}.',
    },
    {
      name: 'BerthDevicePluginStandsBy',
      severity: 'warning',
      holdsFor: '30m',
      expr: 'berth_device_plugin_standing_by{job="$job"} == 1',
      summary: 'A device plugin waits for another one that does not end.',
      description: '{{ $labels.instance }} has waited for 30 minutes: an update does not proceed.',
    },
    {
      name: 'BerthDevicePluginUnhealthyDevices',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'sum by (job, instance, resource_name, cause) (berth_device_plugin_unhealthy_devices{job="$job"}) > 0',
      summary: 'Devices are unhealthy.',
      description:
        'Devices of {{ $labels.resource_name }} on {{ $labels.instance }} are unhealthy: {{ $labels.cause }}.',
    },
    {
      name: 'BerthDevicePluginDiscoveryFails',
      severity: 'warning',
      holdsFor: '10m',
      expr: 'berth_device_plugin_discovery_failing{job="$job"} == 1',
      summary: 'The discovery of devices fails.',
      description: '{{ $labels.instance }} does not know all devices of {{ $labels.resource_name }}.',
    },
    {
      name: 'BerthDevicePluginAllocationsFail',
      severity: 'warning',
      holdsFor: '5m',
      expr: 'sum by (job, instance, resource_name) (increase(berth_device_plugin_allocations_total{job="$job", result="failed"}[30m])) > 2',
      summary: 'Pods do not get their devices.',
      description:
        'More than 2 allocations of {{ $labels.resource_name }} on {{ $labels.instance }} failed in 30 minutes. The kubelet rejects these pods.',
    },
    {
      name: 'BerthDevicePluginConfigRefused',
      severity: 'warning',
      holdsFor: '1m',
      expr: 'sum by (job, instance) (increase(berth_device_plugin_config_reloads_total{job="$job", result="refused"}[30m])) > 0',
      summary: 'The device plugin refused a change of its configuration.',
      description: '{{ $labels.instance }} continues with the previous configuration.',
    },
  ],
}

/** Alerts that need a kubelet that does not report finished pods. */
export const podResourcesAlerts: AlertGroup = {
  name: 'berth-device-plugin-pod-resources',
  app: 'devicePlugin',
  kubeVersion: '>=1.36.0-0',
  alerts: [
    {
      name: 'BerthDevicePluginDoubleAssigned',
      severity: 'critical',
      holdsFor: '5m',
      expr: 'berth_device_plugin_double_assigned_devices{job="$job"} > 0',
      summary: 'Two pods hold the same device.',
      description: 'Devices of {{ $labels.resource_name }} on {{ $labels.instance }} have two holders.',
    },
  ],
}
