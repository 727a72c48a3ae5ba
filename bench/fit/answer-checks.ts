import { type ClusterState, decide } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { mustHold } from '../measurement.ts'
import { type BenchCluster, DONGLE } from './go-cluster.ts'
import { naiveAnswer } from './naive-oracle.ts'
import { input, sixAndFive } from './profiles.ts'

/** The engine names the nodes and totals that the naive oracle names, with and without rejections. */
export function checkDecision({ nodes, pods, state }: BenchCluster, pod: Pod, what: string): void {
  const expected = naiveAnswer(nodes, pods, pod)
  for (const rejections of ['always', 'when-none-fits'] as const) {
    const { totals, rejected, feasible } = decide(sixAndFive, state, pod, { ...input, rejections })
    const label = `${what}, rejections ${rejections}`
    mustHold(feasible.length === expected.size, `${label}: ${feasible.length} nodes fit, not ${expected.size}`)
    for (const [node, total] of expected) {
      mustHold(totals.get(node) === total, `${label}: ${node} has ${totals.get(node)} points, not ${total}`)
    }
    const isComplete = rejected.size === nodes.length - expected.size
    mustHold(rejections !== 'always' || isComplete, `${label}: ${rejected.size} nodes have a reason`)
  }
}

/** What the state says is requested on every node is what its pods sum up to. */
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
    mustHold(Number(state.requested(row, DONGLE)) === (dongles.get(name) ?? 0), `dongles held on ${name}`)
    mustHold(Number(state.requested(row, 'pods')) === (counts.get(name) ?? 0), `number of pods on ${name}`)
    mustHold(state.podsOn(row).length === (counts.get(name) ?? 0), `list of pods on ${name}`)
  }
}

/** The row of a node that must be there. */
export function rowOf(state: ClusterState, name: string): number {
  const row = state.rowOf(name)
  mustHold(row !== undefined, `node ${name} is known`)
  return row
}
