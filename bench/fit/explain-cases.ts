import { explain } from '@berth/fit-engine'
import { assertCorrect } from '../measurement.ts'
import type { TimedCase } from '../time-cases.ts'
import { rowOf } from './answer-checks.ts'
import { type BenchCluster, benchPod, DONGLE } from './go-cluster.ts'
import { input, basicProfile } from './profiles.ts'

const greedy = benchPod('greedy', { [DONGLE]: '9' })

/** Checks that the explanation covers every node with the state's numbers and proposes a fix. */
export function checkExplain({ state, nodes }: BenchCluster): void {
  const explanation = explain(basicProfile, state, greedy, input)
  assertCorrect(explanation.nodes.length === nodes.length, `explain names ${explanation.nodes.length} nodes`)
  for (const { node, resources, verdict } of explanation.nodes) {
    const row = rowOf(state, node)
    const [standing] = resources
    const free = state.allocatable(row, DONGLE) - state.requested(row, DONGLE)
    assertCorrect(standing?.resourceName === DONGLE && standing.free === free, `what is free on ${node}`)
    assertCorrect(verdict.kind === 'unresolvable', `the verdict on ${node}`)
  }
  assertCorrect(explanation.fixes.length > 0, 'explain proposes a fix')
}

/** Explains why a pod fits on none of the nodes, with numbers for each node and verified fixes. */
export function explainCases({ state }: BenchCluster): readonly TimedCase[] {
  return [{ name: 'explain, 5,000 nodes, all of them short', call: () => explain(basicProfile, state, greedy, input) }]
}
