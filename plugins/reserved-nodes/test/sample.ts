import { samplePod } from '@berth/plugin-api/testing'
import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'reserved-nodes': {
    args: { resources: ['example.com/dongle'], mode: 'filter' },
    pods: [samplePod({ 'example.com/dongle': 2 })],
    nodes: [{ name: 'dongles', allocatable: { 'example.com/dongle': 4 } }, { name: 'plain' }],
  },
}
