import { startOracle } from '../oracle-process.ts'
import type { Contestants } from './compare-schedulers.ts'
import { startHistoryCluster } from './history-cluster.ts'
import type { Contestant } from './run-history.ts'
import { type SchedulerName, startScheduler } from './scheduler-process.ts'

/**
 * Starts Berth, two processes of kube-scheduler and the oracle, each scheduler with its own embedded cluster.
 *
 * @param programs.program - Path of kube-scheduler.
 * @param programs.oracle - Path of the oracle.
 */
export async function startContestants(programs: {
  readonly program: string
  readonly oracle: string
}): Promise<Contestants & AsyncDisposable> {
  await using parts = new AsyncDisposableStack()
  const start = async (name: SchedulerName): Promise<Contestant> => {
    const cluster = parts.use(await startHistoryCluster())
    const kubeconfig = cluster.served.kubeconfig()
    return { cluster, scheduler: parts.use(await startScheduler(name, { kubeconfig, program: programs.program })) }
  }
  const berth = await start('berth')
  const kube = [await start('kube-scheduler'), await start('kube-scheduler-random-ties')] as const
  const oracle = parts.use(startOracle(programs.oracle, 'everything'))
  const owned = parts.move()
  return { berth, kube, oracle, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
