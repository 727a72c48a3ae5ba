import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

const SLICE = 'berth.dev/gpu-slice'
const podWith = (name: string, slices: number, device?: string) => ({
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    ...(device !== undefined && { annotations: { [`${SLICE}-device`]: device } }),
  },
  spec: { containers: [{ name: 'main', resources: { requests: { [SLICE]: slices } } }] },
})

/** Inputs of the test kit and of the benchmark. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'device-slices': {
    args: { resource: SLICE, slicesPerDevice: 10 },
    pods: [podWith('web', 4)],
    nodes: [
      { name: 'node-a', allocatable: { [SLICE]: 40 } },
      { name: 'node-b', allocatable: { [SLICE]: 20 }, pods: [podWith('one', 7, '0'), podWith('two', 7, '1')] },
      { name: 'node-c' },
    ],
  },
}
