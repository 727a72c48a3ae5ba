import { type ClusterState, decide } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { assertCorrect } from '../measurement.ts'
import { type BenchCluster, DONGLE } from './go-cluster.ts'
import { naiveScores } from './naive-scores.ts'
import { input, basicProfile } from './profiles.ts'

/** Checks that the engine's feasible nodes and totals equal the naive ones, with and without rejection reasons. */
export function checkDecision({ nodes, pods, state }: BenchCluster, pod: Pod, what: string): void {
  const expected = naiveScores(nodes, pods, pod)
  for (const rejections of ['always', 'when-none-fits'] as const) {
    const { totals, rejected, feasible } = decide(basicProfile, state, pod, { ...input, rejections })
    const label = `${what}, rejections ${rejections}`
    assertCorrect(feasible.length === expected.size, `${label}: ${feasible.length} nodes fit, not ${expected.size}`)
    for (const [node, total] of expected) {
      assertCorrect(totals.get(node) === total, `${label}: ${node} has ${totals.get(node)} as total, not ${total}`)
    }
    const isComplete = rejected.size === nodes.length - expected.size
    assertCorrect(rejections !== 'always' || isComplete, `${label}: ${rejected.size} nodes have a reason`)
  }
}

/** Checks that the state's requested amounts on every node equal the sum of its pods. */
export function checkSums({ nodes, pods, state }: BenchCluster): void {
  const dongles = new Map<string, number>()
  const counts = new Map<string, number>()
  for (const { spec } of pods) {
    const name = spec.nodeName ?? ''
    const [container] = spec.containers
    dongles.set(name, (dongles.get(name) ?? 0) + Number(container?.resources?.requests?.[DONGLE] ?? 0))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const { metadata } of nodes) {
    const name = metadata.name ?? ''
    const row = rowOf(state, name)
    assertCorrect(Number(state.requested(row, DONGLE)) === (dongles.get(name) ?? 0), `dongles held on ${name}`)
    assertCorrect(Number(state.requested(row, 'pods')) === (counts.get(name) ?? 0), `number of pods on ${name}`)
    assertCorrect(state.podsOn(row).length === (counts.get(name) ?? 0), `list of pods on ${name}`)
  }
}

/** Returns the row of a node that must exist. */
export function rowOf(state: ClusterState, name: string): number {
  const row = state.rowOf(name)
  assertCorrect(row !== undefined, `node ${name} is known`)
  return row
}
