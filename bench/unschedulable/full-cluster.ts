import { toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import type { Node, Pod, ResourceList } from '@berth/types'
import { SCHEDULER_NAME } from '../scheduler/race-cluster.ts'

const DONGLE = 'example.com/dongle'
const PODS_PER_NODE = 10
/** Pods of each node that hold one dongle; together they hold all. */
const HOLDERS_PER_NODE = 8

/** Returns the names of pods that hold a dongle, each on another node. */
export function holderNames(nodes: number): readonly string[] {
  return Array.from({ length: nodes }, (_, i) => `holder-${i}-0`)
}

/**
 * Generates nodes, and pods that hold all dongles, in the form in which etcd stores them.
 *
 * @yields The key below `/registry/` and the object.
 */
export function* fullCluster(nodes: number): Generator<readonly [string, unknown]> {
  for (let i = 0; i < nodes; i++) {
    const amounts = { cpu: '64', memory: '256Gi', pods: '250', [DONGLE]: `${HOLDERS_PER_NODE}` }
    const metadata = { name: `node-${i}`, labels: { 'kubernetes.io/hostname': `node-${i}` } }
    const node: Node = { metadata, status: { capacity: amounts, allocatable: amounts } }
    yield [`minions/node-${i}`, toStoredObject('Node', node)]
    for (let k = 0; k < PODS_PER_NODE; k++) {
      const isHolder = k < HOLDERS_PER_NODE
      const name = `${isHolder ? 'holder' : 'other'}-${i}-${k}`
      yield stored(pod(name, isHolder ? { [DONGLE]: '1' } : {}, `node-${i}`))
    }
  }
}

/** Returns the names of {@link waitingPods}. */
export function waitingNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `waiting-${i}`)
}

/**
 * Generates pods that wait for a dongle.
 *
 * @yields As {@link fullCluster}.
 */
export function* waitingPods(count: number): Generator<readonly [string, unknown]> {
  for (const name of waitingNames(count)) yield stored(pod(name, { [DONGLE]: '1' }))
}

/**
 * Generates pods that fit on any node.
 *
 * @yields As {@link fullCluster}.
 */
export function* fittingPods(stem: string, count: number): Generator<readonly [string, unknown]> {
  for (let i = 0; i < count; i++) yield stored(pod(`${stem}-${i}`, {}))
}

function stored(made: Pod): readonly [string, unknown] {
  return [`pods/default/${made.metadata.name}`, toStoredObject('Pod', made)]
}

function pod(name: string, limits: ResourceList, nodeName?: string): Pod {
  const resources = { requests: { cpu: '100m', memory: '128Mi', ...limits }, limits }
  return {
    metadata: { namespace: 'default', name },
    spec: {
      schedulerName: SCHEDULER_NAME,
      ...(nodeName !== undefined && { nodeName }),
      containers: [{ name: 'main', image: 'none', resources }],
    },
    status: { phase: nodeName === undefined ? 'Pending' : 'Running' },
  }
}
