import type { Node } from '@berth/plugin-api'
import type { RunResourceSourceOptions } from '@berth/plugin-api/testing'

/** A node with a label, an annotation and the amounts that a kubelet reports. */
export const sampleNode: Node = {
  metadata: {
    name: 'node-a',
    labels: { 'example.com/seats': '12', 'node.kubernetes.io/instance-type': 'm5.large' },
    annotations: { 'example.com/buffer': '1.5Gi' },
  },
  spec: { podCIDR: '10.1.0.0/24' },
  status: {
    capacity: { cpu: '8', memory: '16Gi', pods: '110' },
    allocatable: { cpu: '7500m', memory: '15Gi', pods: '110' },
  },
}

const nodes = [sampleNode]

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<
  Record<'node-label' | 'node-annotation' | 'node-expression' | 'pod-addresses', RunResourceSourceOptions>
> = {
  'pod-addresses': { nodes },
  'node-label': { args: { label: 'example.com/seats' }, nodes },
  'node-annotation': { args: { annotation: 'example.com/buffer' }, nodes },
  'node-expression': {
    args: { expression: "quantity(node.status.capacity['memory']).asInteger() / 2147483648" },
    nodes,
  },
}
