import { samplePod } from '@berth/plugin-api/testing'
import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'whole-nodes': {
    args: { resources: ['example.com/dongle'] },
    pods: [samplePod({ 'example.com/dongle': 2 })],
    nodes: [4, 8].map((units) => ({ name: `node-${units}`, allocatable: { 'example.com/dongle': units } })),
  },
}
