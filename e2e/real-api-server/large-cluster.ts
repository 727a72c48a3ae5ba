import { randomUUID } from 'node:crypto'
import type { KubernetesObject, Node, Pod } from '@berth/types'

/**
 * Generates nodes and bound pods in the form in which etcd stores them, for `RealApiServer.seed`.
 *
 * @yields The key below `/registry/` and the object.
 */
export function* largeCluster(nodes: number, pods: number): Generator<readonly [string, unknown]> {
  for (let i = 0; i < nodes; i++) yield [`minions/node-${i}`, toStoredObject('Node', sampleNode(i))]
  for (let i = 0; i < pods; i++) yield [`pods/default/pod-${i}`, toStoredObject('Pod', samplePod(i, nodes))]
}

/** Returns the object with the fields that the API server would have added, for `RealApiServer.seed`. */
export function toStoredObject(kind: string, { metadata, ...rest }: KubernetesObject): unknown {
  const creationTimestamp = '2026-01-01T00:00:00Z'
  return { apiVersion: 'v1', kind, metadata: { ...metadata, uid: randomUUID(), creationTimestamp }, ...rest }
}

/** Returns a node of about the size that a kubelet reports, without its list of images. */
function sampleNode(i: number): Node {
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

/** Returns a bound pod of about 1.5 KB, including the fields that the API server adds. */
function samplePod(i: number, nodes: number): Pod {
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
