import { explain } from '@berth/fit-engine'
import { mustHold } from '../measurement.ts'
import type { TimedCase } from '../time-cases.ts'
import { rowOf } from './answer-checks.ts'
import { type BenchCluster, benchPod, DONGLE } from './go-cluster.ts'
import { input, sixAndFive } from './profiles.ts'

const greedy = benchPod('greedy', { [DONGLE]: '9' })

/** Every node is there, with the numbers of the state, and some fix is proposed. */
export function checkExplain({ state, nodes }: BenchCluster): void {
  const explanation = explain(sixAndFive, state, greedy, input)
  mustHold(explanation.nodes.length === nodes.length, `explain names ${explanation.nodes.length} nodes`)
  for (const { node, resources, verdict } of explanation.nodes) {
    const row = rowOf(state, node)
    const [standing] = resources
    const free = state.allocatable(row, DONGLE) - state.requested(row, DONGLE)
    mustHold(standing?.resourceName === DONGLE && standing.free === free, `what is free on ${node}`)
    mustHold(verdict.kind === 'unresolvable', `the verdict on ${node}`)
  }
  mustHold(explanation.fixes.length > 0, 'explain proposes a fix')
}

/** Why a pod fits on none of the nodes, with numbers of each and fixes that were tried. */
export function explainCases({ state }: BenchCluster): readonly TimedCase[] {
  return [{ name: 'explain, 5,000 nodes, all of them short', call: () => explain(sixAndFive, state, greedy, input) }]
}
