import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'whole-nodes': {
    args: { resources: ['example.com/dongle'] },
    pods: [
      {
        metadata: { name: 'web', namespace: 'default', uid: 'web' },
        spec: { containers: [{ name: 'main', resources: { requests: { 'example.com/dongle': 2 } } }] },
      },
    ],
    nodes: [
      { name: 'node-a', allocatable: { 'example.com/dongle': 4 } },
      { name: 'node-b', allocatable: { 'example.com/dongle': 8 }, requested: { 'example.com/dongle': 3 } },
      { name: 'node-c' },
    ],
  },
}
