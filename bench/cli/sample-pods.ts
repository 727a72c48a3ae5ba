import { toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import type { Pod } from '@berth/types'
import { nodeName } from '../advertiser/kubelet-node.ts'

/** A resource that no node offers. */
export const RESOURCE = 'example.com/dongle'
/** Name of the pod that does not fit. */
export const PENDING = 'pending'

function pod(name: string, spec: Partial<Pod['spec']>, requests: Readonly<Record<string, string>>): Pod {
  return {
    metadata: { namespace: 'default', name, labels: { app: 'application' } },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [{ name: 'main', image: 'registry.example.com/application:v1', resources: { requests } }],
      ...spec,
    },
    status: { phase: 'Pending' },
  }
}

/**
 * Generates running pods, in the form in which etcd stores them.
 *
 * @yields The key below `/registry/` and the object.
 */
export function* boundPods(count: number, nodes: number): Generator<readonly [string, unknown]> {
  for (let i = 0; i < count; i++) {
    const bound = pod(`pod-${i}`, { nodeName: nodeName(i % nodes) }, { cpu: '1', memory: '1Gi' })
    const running: Pod = { ...bound, status: { phase: 'Running' } }
    yield [`pods/default/pod-${i}`, toStoredObject('Pod', running)]
  }
}

/** A pod that fits on no node. */
export const pendingPod: readonly [string, unknown] = [
  `pods/default/${PENDING}`,
  toStoredObject('Pod', pod(PENDING, {}, { [RESOURCE]: '1' })),
]
