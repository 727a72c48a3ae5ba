import type { TimedCase } from '../time-cases.ts'
import { amounts, type BenchCluster, benchPod } from './go-cluster.ts'

const CHANGES_PER_CALL = 2

/** Changes of the state: API server events, assumed pods, and forks. */
export function changeCases({ state, nodes }: BenchCluster): readonly TimedCase[] {
  let turn = 0
  const nextNode = (): string => nodes[(turn++ * 7) % nodes.length]?.metadata.name ?? ''
  const waiting = benchPod('waiting', amounts('500m', '1Gi', '1'))
  return [
    {
      name: 'pod event applied (one pod comes, the same pod goes)',
      operationsPerCall: CHANGES_PER_CALL,
      call: () => {
        const pod = benchPod('event', amounts('500m', '1Gi', '1'), nextNode())
        state.setPod(pod)
        state.deletePod(pod)
      },
    },
    {
      name: 'assume or forget',
      operationsPerCall: CHANGES_PER_CALL,
      call: () => {
        state.assume(waiting, nextNode())
        state.forget(waiting)
      },
    },
    { name: 'copy of the state for a what-if (5,000 nodes, 50,000 pods)', call: () => state.fork() },
  ]
}
