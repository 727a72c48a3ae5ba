import type { Node, Pod } from '@berth/types'

/** A node of about the size that a kubelet reports, without images. */
export function nodeNumber(i: number): Node {
  const amounts = { cpu: '64', memory: '256Gi', pods: '250', 'example.com/dongle': '8' }
  return {
    metadata: {
      name: `node-${i}`,
      labels: {
        'kubernetes.io/hostname': `node-${i}`,
        'topology.kubernetes.io/zone': `zone-${i % 3}`,
        'node.kubernetes.io/instance-type': 'large',
      },
    },
    status: { capacity: amounts, allocatable: amounts },
  }
}

/** A bound pod of about 3 KB with what the API server adds. */
export function podNumber(i: number, nodes: number): Pod {
  const env = Array.from({ length: 12 }, (_, at) => ({
    name: `SETTING_${at}`,
    value: `value number ${at} of pod ${i}`,
  }))
  const container = {
    name: 'main',
    image: 'registry.example.com/team/application:v1.2.3',
    env,
    resources: {
      requests: { cpu: '100m', memory: '128Mi', 'example.com/dongle': '1' },
      limits: { 'example.com/dongle': '1' },
    },
  }
  return {
    metadata: {
      namespace: 'default',
      name: `pod-${i}`,
      labels: { app: `application-${i % 100}`, 'pod-template-hash': '5d4f8c7b9' },
    },
    spec: { nodeName: `node-${i % nodes}`, containers: [container] },
  }
}
