import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'node-cost': {
    args: { label: 'example.com/price', maximum: 3, podMaximumAnnotation: 'example.com/max-price' },
    pods: [
      {
        metadata: { name: 'web', namespace: 'default', uid: 'web', annotations: { 'example.com/max-price': '2.5' } },
        spec: { containers: [] },
      },
    ],
    nodes: [
      { name: 'node-a', labels: { 'example.com/price': '0.5' } },
      { name: 'node-b', labels: { 'example.com/price': '2' } },
      { name: 'node-c', labels: { 'example.com/price': '4' } },
      { name: 'node-d' },
    ],
  },
}
