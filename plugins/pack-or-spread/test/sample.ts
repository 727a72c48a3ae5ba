import { samplePod } from '@berth/plugin-api/testing'
import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'pack-or-spread': {
    args: { resources: [{ name: 'example.com/dongle' }, { name: 'cpu', mode: 'spread' }] },
    pods: [samplePod({ 'example.com/dongle': 2 })],
    nodes: [
      { name: 'node-a', allocatable: { 'example.com/dongle': 4 } },
      { name: 'node-b', allocatable: { 'example.com/dongle': 8 }, requested: { 'example.com/dongle': 3 } },
      { name: 'node-c' },
    ],
  },
}
