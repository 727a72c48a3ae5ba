import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RealApiServer, realApiServerBinaries } from '@berth/e2e/real-api-server/real-api-server'
import { nodeOptions } from '@berth/tools/chart/node-options'
import { stringify } from 'yaml'
import { type ContenderProcess, startContender } from './contender.ts'
import { SCHEDULER_NAME } from './race-cluster.ts'

/** The scheduler that places the pods. */
export type Runner = 'berth' | 'kube-scheduler'

/** The encoding that the scheduler prefers, as `clientConnection.contentType`. */
export type RaceEncoding = 'application/json' | 'application/vnd.kubernetes.protobuf'

/** The built scheduler. */
export const schedulerBundle: string = join(import.meta.dirname, '..', '..', 'apps', 'scheduler', 'dist', 'main.js')

/** Rate limits of the clients. Berth runs with its own defaults. kube-scheduler's default of 50 would flatter Berth. */
const limits = { berth: {}, 'kube-scheduler': { qps: 5_000, burst: 10_000 } } as const

/** Options of {@link startRunner}. */
export interface RunnerOptions {
  /** Default: the scheduler's own default. */
  readonly encoding?: RaceEncoding | undefined
  /** Address at which Berth serves health and metrics. Default: any free port. */
  readonly healthAddress?: string
  /** The `main.js` of Berth. Default: {@link schedulerBundle}. */
  readonly bundle?: string
  /** Further flags of Node for Berth. */
  readonly nodeFlags?: readonly string[]
}

/** Starts a scheduler for the pods with the schedulerName {@link SCHEDULER_NAME}. Berth runs with the chart's flags of Node. */
export function startRunner(
  runner: Runner,
  server: Pick<RealApiServer, 'dir' | 'kubeconfig'>,
  { encoding, healthAddress = '127.0.0.1:0', bundle = schedulerBundle, nodeFlags = [] }: RunnerOptions = {},
): ContenderProcess {
  const { dir } = server
  const path = join(dir, 'scheduler.kubeconfig')
  writeFileSync(path, server.kubeconfig(), { mode: 0o600 })
  const config = join(dir, 'scheduler.yaml')
  writeFileSync(
    config,
    stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      clientConnection: {
        kubeconfig: path,
        ...limits[runner],
        ...(encoding !== undefined && { contentType: encoding }),
      },
      leaderElection: { leaderElect: false },
      profiles: [{ schedulerName: SCHEDULER_NAME }],
    }),
  )
  const logPath = join(dir, `${runner}.log`)
  if (runner === 'berth') {
    const { nodeFlags: chartFlags, env } = nodeOptions('scheduler')
    const args = [bundle, '--config', config, '--health-address', healthAddress]
    return startContender(process.execPath, [...chartFlags, ...nodeFlags, ...args], logPath, env)
  }
  const program = join(realApiServerBinaries() ?? '', 'kube-scheduler')
  return startContender(program, ['--config', config, '--secure-port=0'], logPath)
}
