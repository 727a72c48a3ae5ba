import { decide } from '@berth/fit-engine'
import type { Node, Pod, TopologySpreadConstraint } from '@berth/types'
import { assertCorrect } from '../measurement.ts'
import type { TimedCase } from '../time-cases.ts'
import { amounts, type BenchCluster, benchPod, stateOf } from './go-cluster.ts'
import { naiveScores } from './naive-scores.ts'
import { place } from './decision-cases.ts'
import { topologyProfile, input } from './profiles.ts'

// Names of the cases that have a counterpart in Go.
export const HARD_PASS = 'eight filters + seven scores, hard zone spread and pod anti-affinity, 5,000 nodes'
export const SOFT_PASS = 'eight filters + seven scores, soft zone spread and pod anti-affinity, 5,000 nodes'

const ZONE = 'topology.kubernetes.io/zone'
const ZONES = 3
const MAX_SKEW = 5
const SPREAD_WEIGHT = 2
const MAX_SCORE = 100
const selector = { matchLabels: { app: 'web' } }

type WhenUnsatisfiable = TopologySpreadConstraint['whenUnsatisfiable']

function withAppLabel(pod: Pod, app: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, labels: { app } } }
}

/** Creates the cluster of the Go benchmark's `topologyEnv`: two pods per node, one of which the selectors match. */
export function topologyCluster(nodeCount: number): BenchCluster {
  const nodes: Node[] = []
  const pods: Pod[] = []
  for (let i = 0; i < nodeCount; i++) {
    const name = `node-${i}`
    const capacity = { ...amounts('16', '64Gi', '8'), pods: '110' }
    const labels = { 'kubernetes.io/hostname': name, [ZONE]: `z${i % ZONES}` }
    nodes.push({ metadata: { name, labels }, status: { capacity, allocatable: capacity } })
    const dongles = ['8', '4', '2'][Math.trunc(i / ZONES) % ZONES] ?? ''
    pods.push(withAppLabel(benchPod(`e-${i}-0`, amounts('500m', '1Gi', dongles), name), 'web'))
    pods.push(withAppLabel(benchPod(`e-${i}-1`, amounts('500m', '1Gi'), name), 'db'))
  }
  return { nodes, pods, state: stateOf(nodes, pods) }
}

/** Returns the pod that the Go benchmark schedules, with a memory request that depends on `count`. */
function spreadPod(whenUnsatisfiable: WhenUnsatisfiable, count: number): Pod {
  const pod = withAppLabel(benchPod('p', { ...amounts('1', '2Gi', '1'), memory: `${2 ** 31 + count}` }), 'web')
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

/** Computes the soft spread scores by zone naively: the fewer matching pods, the higher the score. */
function spreadScores({ nodes, pods }: BenchCluster): ReadonlyMap<string, number> {
  const zoneOf = new Map(nodes.map(({ metadata }) => [metadata.name ?? '', metadata.labels?.[ZONE] ?? '']))
  const web = pods.filter(({ metadata }) => metadata.labels?.['app'] === 'web')
  const raw = new Map<string, number>()
  for (const [zone, mine] of Map.groupBy(web, ({ spec }) => zoneOf.get(spec.nodeName ?? '') ?? '')) {
    raw.set(zone, Math.round(mine.length * Math.log(ZONES + 2) + (MAX_SKEW - 1)))
  }
  const [most, least] = [Math.max(...raw.values()), Math.min(...raw.values())]
  return new Map([...raw].map(([zone, value]) => [zone, Math.trunc((MAX_SCORE * (most + least - value)) / most)]))
}

/** Checks that the engine's feasible nodes and totals equal the naive ones. */
export function checkTopology(cluster: BenchCluster): void {
  const scores = spreadScores(cluster)
  for (const when of ['DoNotSchedule', 'ScheduleAnyway'] as const) {
    const pod = spreadPod(when, 0)
    const expected = naiveScores(cluster.nodes, cluster.pods, pod)
    const { totals, feasible } = decide(topologyProfile, cluster.state, pod, input)
    assertCorrect(feasible.length === expected.size, `${when}: ${feasible.length} nodes fit, not ${expected.size}`)
    for (const { metadata } of cluster.nodes) {
      const name = metadata.name ?? ''
      const total = expected.get(name)
      // Every node has one matching pod, so the anti-affinity prefers none of them.
      const spread = when === 'ScheduleAnyway' ? SPREAD_WEIGHT * (scores.get(metadata.labels?.[ZONE] ?? '') ?? 0) : 0
      const expectedTotal = total === undefined ? undefined : total + spread
      assertCorrect(
        totals.get(name) === expectedTotal,
        `${when}: ${name} has ${totals.get(name)} as total, not ${expectedTotal}`,
      )
    }
  }
}

/** Decisions on the Go benchmark's cluster. Each decision assumes and forgets its pod, so that the counts change. */
export function topologyCases(cluster: BenchCluster): readonly TimedCase[] {
  let count = 0
  const passOf = (when: WhenUnsatisfiable) => () => {
    count += 1
    const pod = spreadPod(when, count)
    const node = place(topologyProfile, cluster, pod)
    cluster.state.assume(pod, node ?? '')
    cluster.state.forget(pod)
  }
  return [
    { name: HARD_PASS, call: passOf('DoNotSchedule') },
    { name: SOFT_PASS, call: passOf('ScheduleAnyway') },
  ]
}
