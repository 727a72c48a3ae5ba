import { decide, type Framework } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { mustHold } from '../measurement.ts'
import type { TimedCase } from '../time-cases.ts'
import { checkDecision } from './answer-checks.ts'
import { amounts, askingPod, type BenchCluster, benchPod, DONGLE, RARE } from './go-cluster.ts'
import { fitOnly, input, sixAndFive, wholeProfile } from './profiles.ts'

/** Names of the cases that the Go code has too. */
export const FIT_SCANNED = 'NodeResourcesFit + LeastAllocated, 5,000 nodes, shape never seen'
export const PASS_SCANNED = 'six filters + five scores, 5,000 nodes, shape never seen'
export const FIT_REPEATED = 'NodeResourcesFit + LeastAllocated, 5,000 nodes, shape seen before'
export const PASS_REPEATED = 'six filters + five scores, 5,000 nodes, shape seen before'

const BYTES = 2 ** 31

/** Pods that nobody asked about before: each asks for another amount of memory. */
function newShapes(): () => Pod {
  let count = 0
  return () => {
    count += 1
    return benchPod(`new-${count}`, { ...amounts('1', '2Gi', '1'), memory: `${BYTES + count}` })
  }
}

const asScheduler = { ...input, rejections: 'when-none-fits', score: 'when-several' } as const

/** As the scheduler asks: reasons only if the pod fits nowhere, scores only if there is a choice; one of the best is taken. */
function place(framework: Framework, { state }: BenchCluster, pod: Pod): string | undefined {
  return decide(framework, state, pod, asScheduler).pickBest(input.random)
}

/** Asks about the pod as often as it takes until shapes are remembered, with changes between. */
export function checkDecisions(cluster: BenchCluster): void {
  const { state } = cluster
  const scanned = newShapes()
  checkDecision(cluster, scanned(), 'a shape never seen')
  for (let turn = 0; turn < 3; turn++) checkDecision(cluster, askingPod(), `a shape seen ${turn} times`)
  const added = benchPod('added', amounts('2', '1Gi', '4'), 'node-1')
  state.setPod(added)
  checkDecision({ ...cluster, pods: [...cluster.pods, added] }, askingPod(), 'a shape seen before, one node changed')
  state.deletePod(added)
  checkDecision(cluster, askingPod(), 'a shape seen before, the change taken back')
  const only = `node-${Math.trunc(cluster.nodes.length / 2)}`
  const rare = benchPod('rare', { [RARE]: '1' })
  mustHold(place(wholeProfile, cluster, rare) === only, `the rare resource is on ${only}`)
  const greedy = decide(sixAndFive, state, benchPod('greedy', { [DONGLE]: '9' }), input)
  mustHold(
    greedy.message === `0/${cluster.nodes.length} nodes are available: ${cluster.nodes.length} Insufficient ${DONGLE}.`,
    'why nothing fits',
  )
}

/** Decisions on the Go benchmark's cluster. */
export function decisionCases(cluster: BenchCluster): readonly TimedCase[] {
  const { state } = cluster
  const forFit = newShapes()
  const forPass = newShapes()
  const rare = (): Pod => benchPod('rare', { [RARE]: '1' })
  const greedy = benchPod('greedy', { [DONGLE]: '9' })
  const placed = askingPod('placed')
  return [
    { name: FIT_SCANNED, call: () => place(fitOnly, cluster, forFit()) },
    { name: FIT_REPEATED, call: () => place(fitOnly, cluster, askingPod()) },
    {
      name: 'NodeResourcesFit + LeastAllocated, one node of 5,000 offers the resource',
      call: () => place(fitOnly, cluster, rare()),
    },
    {
      name: 'whole default profile, one node of 5,000 offers the resource',
      call: () => place(wholeProfile, cluster, rare()),
    },
    { name: PASS_SCANNED, call: () => place(sixAndFive, cluster, forPass()) },
    { name: PASS_REPEATED, call: () => place(sixAndFive, cluster, askingPod()) },
    {
      name: 'six filters + five scores, 5,000 nodes, the pod before was assumed',
      call: () => {
        state.forget(placed)
        state.assume(placed, place(sixAndFive, cluster, askingPod()) ?? '')
      },
    },
    {
      name: 'six filters, 5,000 nodes, nothing fits, with the message',
      call: () => decide(sixAndFive, state, greedy, { ...input, rejections: 'when-none-fits' }).message,
    },
  ]
}

/** The same pass on a cluster of 50,000 nodes. */
export function largeCases(cluster: BenchCluster): readonly TimedCase[] {
  const scanned = newShapes()
  return [
    {
      name: 'six filters + five scores, 50,000 nodes, shape never seen',
      call: () => place(sixAndFive, cluster, scanned()),
    },
    {
      name: 'six filters + five scores, 50,000 nodes, shape seen before',
      call: () => place(sixAndFive, cluster, askingPod()),
    },
  ]
}
