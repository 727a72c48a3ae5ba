import { toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import type { Node, Pod, PodSpec } from '@berth/types'
import { assertCorrect } from '../measurement.ts'

/** The schedulerName of the pods, used by every scheduler. */
export const SCHEDULER_NAME = 'race'
const NAMESPACE = 'default'
const DONGLE = 'example.com/dongle'
const DONGLES_PER_NODE = 8
const ZONE = 'topology.kubernetes.io/zone'
const ZONES = 3
const MAX_SKEW = 5
const web = { app: 'web' }

/** The requirements of the pending pods. */
export type Workload = 'dongle' | 'spread'

/**
 * Generates nodes and pending pods in the form in which etcd stores them.
 *
 * @yields The key below `/registry/` and the object.
 */
export function* raceCluster(nodes: number, pods: number, workload: Workload): Generator<readonly [string, unknown]> {
  for (let i = 0; i < nodes; i++) yield [`minions/node-${i}`, toStoredObject('Node', nodeNumber(i))]
  for (let i = 0; i < pods; i++) yield [`pods/${NAMESPACE}/pod-${i}`, toStoredObject('Pod', waitingPod(i, workload))]
}

function nodeNumber(i: number): Node {
  const amounts = { cpu: '64', memory: '256Gi', pods: '250', [DONGLE]: `${DONGLES_PER_NODE}` }
  const name = `node-${i}`
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, [ZONE]: `zone-${i % ZONES}` } },
    status: { capacity: amounts, allocatable: amounts },
  }
}

function waitingPod(i: number, workload: Workload): Pod {
  const limits = { [DONGLE]: '1' }
  const resources = { requests: { cpu: '100m', memory: '128Mi', ...limits }, limits }
  return {
    metadata: { namespace: NAMESPACE, name: `pod-${i}`, labels: web },
    spec: {
      schedulerName: SCHEDULER_NAME,
      containers: [{ name: 'main', image: 'none', resources }],
      ...(workload === 'spread' && spreadAndAffinity),
    },
    status: { phase: 'Pending' },
  }
}

const labelSelector = { matchLabels: web }
const spreadAndAffinity: Pick<PodSpec, 'topologySpreadConstraints' | 'affinity'> = {
  topologySpreadConstraints: [
    { maxSkew: MAX_SKEW, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector } },
      ],
    },
  },
}

/**
 * Checks that every pod has a node, no node is over its dongles, and the zones are within the pods' maximum skew.
 *
 * @throws WrongResultError when one of these does not hold.
 */
export function checkPlacement(pods: readonly Pod[], expected: number, workload: Workload): void {
  const placed = pods.flatMap(({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]))
  assertCorrect(placed.length === expected, `${placed.length} of ${expected} pods have a node`)
  const byNode = Map.groupBy(placed, (node) => node)
  for (const [node, here] of byNode) assertCorrect(here.length <= DONGLES_PER_NODE, `${here.length} pods share ${node}`)
  if (workload !== 'spread') return
  const counts = Array.from({ length: ZONES }, () => 0)
  for (const node of placed) {
    const zone = Number(node.slice('node-'.length)) % ZONES
    counts[zone] = (counts[zone] ?? 0) + 1
  }
  const skew = Math.max(...counts) - Math.min(...counts)
  assertCorrect(skew <= MAX_SKEW, `the zones hold ${counts.join(', ')} pods`)
}
