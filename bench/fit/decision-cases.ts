import { decide, type Framework } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { assertCorrect } from '../measurement.ts'
import type { TimedCase } from '../time-cases.ts'
import { checkDecision } from './answer-checks.ts'
import { amounts, candidatePod, type BenchCluster, benchPod, DONGLE, RARE } from './go-cluster.ts'
import { fitProfile, input, basicProfile, defaultProfile } from './profiles.ts'

// Names of the cases that have a counterpart in Go.
export const FIT_SCANNED = 'NodeResourcesFit + LeastAllocated, 5,000 nodes, shape never seen'
export const PASS_SCANNED = 'six filters + five scores, 5,000 nodes, shape never seen'
export const FIT_REPEATED = 'NodeResourcesFit + LeastAllocated, 5,000 nodes, shape seen before'
export const PASS_REPEATED = 'six filters + five scores, 5,000 nodes, shape seen before'

const BYTES = 2 ** 31

/** Returns a function that creates pods with a new shape every time: each requests another amount of memory. */
function newShapes(): () => Pod {
  let count = 0
  return () => {
    count += 1
    return benchPod(`new-${count}`, { ...amounts('1', '2Gi', '1'), memory: `${BYTES + count}` })
  }
}

const asScheduler = { ...input, rejections: 'when-none-fits', score: 'when-several' } as const

/** Decides like the scheduler: reasons only if the pod fits nowhere, scores only if there is a choice; picks one best node. */
export function place(framework: Framework, { state }: BenchCluster, pod: Pod): string | undefined {
  return decide(framework, state, pod, asScheduler).pickBest(input.random)
}

/** Checks decisions often enough for shapes to be cached, with changes of the state in between. */
export function checkDecisions(cluster: BenchCluster): void {
  const { state } = cluster
  const scanned = newShapes()
  checkDecision(cluster, scanned(), 'a shape never seen')
  for (let turn = 0; turn < 3; turn++) checkDecision(cluster, candidatePod(), `a shape seen ${turn} times`)
  const added = benchPod('added', amounts('2', '1Gi', '4'), 'node-1')
  state.setPod(added)
  checkDecision({ ...cluster, pods: [...cluster.pods, added] }, candidatePod(), 'a shape seen before, one node changed')
  state.deletePod(added)
  checkDecision(cluster, candidatePod(), 'a shape seen before, the change taken back')
  const only = `node-${Math.trunc(cluster.nodes.length / 2)}`
  const rare = benchPod('rare', { [RARE]: '1' })
  assertCorrect(place(defaultProfile, cluster, rare) === only, `the rare resource is on ${only}`)
  const greedy = decide(basicProfile, state, benchPod('greedy', { [DONGLE]: '9' }), input)
  assertCorrect(
    greedy.message === `0/${cluster.nodes.length} nodes are available: ${cluster.nodes.length} Insufficient ${DONGLE}.`,
    `the message for a pod that fits nowhere: ${greedy.message}`,
  )
}

/** Decisions on the Go benchmark's cluster. */
export function decisionCases(cluster: BenchCluster): readonly TimedCase[] {
  const { state } = cluster
  const forFit = newShapes()
  const forPass = newShapes()
  const rare = (): Pod => benchPod('rare', { [RARE]: '1' })
  const greedy = benchPod('greedy', { [DONGLE]: '9' })
  const placed = candidatePod('placed')
  return [
    { name: FIT_SCANNED, call: () => place(fitProfile, cluster, forFit()) },
    { name: FIT_REPEATED, call: () => place(fitProfile, cluster, candidatePod()) },
    {
      name: 'NodeResourcesFit + LeastAllocated, one node of 5,000 offers the resource',
      call: () => place(fitProfile, cluster, rare()),
    },
    {
      name: 'whole default profile, one node of 5,000 offers the resource',
      call: () => place(defaultProfile, cluster, rare()),
    },
    { name: PASS_SCANNED, call: () => place(basicProfile, cluster, forPass()) },
    { name: PASS_REPEATED, call: () => place(basicProfile, cluster, candidatePod()) },
    {
      name: 'six filters + five scores, 5,000 nodes, the pod before was assumed',
      call: () => {
        state.forget(placed)
        state.assume(placed, place(basicProfile, cluster, candidatePod()) ?? '')
      },
    },
    {
      name: 'six filters, 5,000 nodes, nothing fits, with the message',
      call: () => decide(basicProfile, state, greedy, { ...input, rejections: 'when-none-fits' }).message,
    },
  ]
}

/** The same pass on a cluster of 50,000 nodes. */
export function largeCases(cluster: BenchCluster): readonly TimedCase[] {
  const scanned = newShapes()
  return [
    {
      name: 'six filters + five scores, 50,000 nodes, shape never seen',
      call: () => place(basicProfile, cluster, scanned()),
    },
    {
      name: 'six filters + five scores, 50,000 nodes, shape seen before',
      call: () => place(basicProfile, cluster, candidatePod()),
    },
  ]
}
