import { samplePod } from '@berth/plugin-api/testing'
import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'namespace-quota': {
    args: { resources: [{ name: 'example.com/dongle', label: 'example.com/dongle-quota', default: 10 }] },
    namespaces: [{ name: 'default', labels: { 'example.com/dongle-quota': '3' } }],
    pods: [samplePod({ 'example.com/dongle': 2 })],
    nodes: [{ name: 'node-a', allocatable: { 'example.com/dongle': 4 } }, { name: 'node-b' }],
  },
}
