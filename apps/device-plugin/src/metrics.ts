import { defineMetrics } from '@berth/process/metrics'

/** The device plugin's metrics, as data. */
export const metricDefinitions = defineMetrics({
  devices: {
    name: 'berth_device_plugin_devices',
    help: 'Devices that are listed to the kubelet, by health (Healthy, Unhealthy).',
    type: 'gauge',
    labelNames: ['resource_name', 'health'],
  },
  streams: {
    name: 'berth_device_plugin_streams',
    help: 'ListAndWatch streams that the kubelet holds open; 0 means that it does not count the resource.',
    type: 'gauge',
    labelNames: ['resource_name'],
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
  lists: {
    name: 'berth_device_plugin_lists_total',
    help: 'Device lists that were sent to the kubelet.',
    type: 'counter',
    labelNames: ['resource_name'],
  },
  discoveryFailures: {
    name: 'berth_device_plugin_discovery_failures_total',
    help: 'Times that a device source failed while it looked for devices; it is started again.',
    type: 'counter',
    labelNames: ['resource_name'],
  },
})
