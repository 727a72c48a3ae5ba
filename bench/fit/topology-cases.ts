import { decide, type Framework } from '@berth/fit-engine'
import type { Node, Pod, TopologySpreadConstraint } from '@berth/types'
import { mustHold } from '../measurement.ts'
import type { TimedCase } from '../time-cases.ts'
import { amounts, type BenchCluster, benchPod, stateOf } from './go-cluster.ts'
import { naiveAnswer } from './naive-oracle.ts'
import { eightAndSeven, input } from './profiles.ts'

/** Names of the cases that the Go code has too. */
export const HARD_PASS = 'eight filters + seven scores, hard zone spread and pod anti-affinity, 5,000 nodes'
export const SOFT_PASS = 'eight filters + seven scores, soft zone spread and pod anti-affinity, 5,000 nodes'

const ZONE = 'topology.kubernetes.io/zone'
const ZONES = 3
const MAX_SKEW = 5
const SPREAD_WEIGHT = 2
const MAX_SCORE = 100
const selector = { matchLabels: { app: 'web' } }

type WhenUnsatisfiable = TopologySpreadConstraint['whenUnsatisfiable']

function labelled(pod: Pod, app: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, labels: { app } } }
}

/** `topologyEnv` of the oracle's Go benchmark: two pods a node, one of which the pod's selectors match. */
export function topologyCluster(nodeCount: number): BenchCluster {
  const nodes: Node[] = []
  const pods: Pod[] = []
  for (let i = 0; i < nodeCount; i++) {
    const name = `node-${i}`
    const capacity = { ...amounts('16', '64Gi', '8'), pods: '110' }
    const labels = { 'kubernetes.io/hostname': name, [ZONE]: `z${i % ZONES}` }
    nodes.push({ metadata: { name, labels }, status: { capacity, allocatable: capacity } })
    const dongles = ['8', '4', '2'][Math.trunc(i / ZONES) % ZONES] ?? ''
    pods.push(labelled(benchPod(`e-${i}-0`, amounts('500m', '1Gi', dongles), name), 'web'))
    pods.push(labelled(benchPod(`e-${i}-1`, amounts('500m', '1Gi'), name), 'db'))
  }
  return { nodes, pods, state: stateOf(nodes, pods) }
}

/** The pod that the Go benchmark asks about; each call asks for another amount of memory. */
function spreadPod(whenUnsatisfiable: WhenUnsatisfiable, count: number): Pod {
  const pod = labelled(benchPod('p', { ...amounts('1', '2Gi', '1'), memory: `${2 ** 31 + count}` }), 'web')
  const term = { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: selector } }
  return {
    ...pod,
    spec: {
      ...pod.spec,
      topologySpreadConstraints: [{ maxSkew: MAX_SKEW, topologyKey: ZONE, whenUnsatisfiable, labelSelector: selector }],
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } },
    },
  }
}

/** Points of the soft spread by zone, in the plainest words: fewer matching pods, more points. */
function spreadPoints({ nodes, pods }: BenchCluster): ReadonlyMap<string, number> {
  const zoneOf = new Map(nodes.map(({ metadata }) => [metadata.name ?? '', metadata.labels?.[ZONE] ?? '']))
  const web = pods.filter(({ metadata }) => metadata.labels?.['app'] === 'web')
  const raw = new Map<string, number>()
  for (const [zone, mine] of Map.groupBy(web, ({ spec }) => zoneOf.get(spec.nodeName ?? '') ?? '')) {
    raw.set(zone, Math.round(mine.length * Math.log(ZONES + 2) + (MAX_SKEW - 1)))
  }
  const [most, least] = [Math.max(...raw.values()), Math.min(...raw.values())]
  return new Map([...raw].map(([zone, value]) => [zone, Math.trunc((MAX_SCORE * (most + least - value)) / most)]))
}

/** The engine names the nodes and totals that follow from the naive oracle and the plain rule of the spread. */
export function checkTopology(cluster: BenchCluster): void {
  const points = spreadPoints(cluster)
  for (const when of ['DoNotSchedule', 'ScheduleAnyway'] as const) {
    const pod = spreadPod(when, 0)
    const expected = naiveAnswer(cluster.nodes, cluster.pods, pod)
    const { totals, feasible } = decide(eightAndSeven, cluster.state, pod, input)
    mustHold(feasible.length === expected.size, `${when}: ${feasible.length} nodes fit, not ${expected.size}`)
    for (const { metadata } of cluster.nodes) {
      const name = metadata.name ?? ''
      const total = expected.get(name)
      // One matching pod on every node: the anti-affinity prefers none of them.
      const spread = when === 'ScheduleAnyway' ? SPREAD_WEIGHT * (points.get(metadata.labels?.[ZONE] ?? '') ?? 0) : 0
      const wanted = total === undefined ? undefined : total + spread
      mustHold(totals.get(name) === wanted, `${when}: ${name} has ${totals.get(name)} points, not ${wanted}`)
    }
  }
}

function place(framework: Framework, { state }: BenchCluster, pod: Pod): string | undefined {
  const asScheduler = { ...input, rejections: 'when-none-fits', score: 'when-several' } as const
  return decide(framework, state, pod, asScheduler).pickBest(input.random)
}

/** Decisions on the Go benchmark's cluster; between two decisions the pod before is assumed, so that counts change. */
export function topologyCases(cluster: BenchCluster): readonly TimedCase[] {
  let count = 0
  const passOf = (when: WhenUnsatisfiable) => () => {
    count += 1
    const pod = spreadPod(when, count)
    const node = place(eightAndSeven, cluster, pod)
    cluster.state.assume(pod, node ?? '')
    cluster.state.forget(pod)
  }
  return [
    { name: HARD_PASS, call: passOf('DoNotSchedule') },
    { name: SOFT_PASS, call: passOf('ScheduleAnyway') },
  ]
}
