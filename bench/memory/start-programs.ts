import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type ServerProcess, startServerProcess } from '@berth/e2e/real-api-server/server-process'
import { stringify } from 'yaml'
import { SCHEDULER_NAME } from '../scheduler/race-cluster.ts'

/** The resource that the advertiser offers on every node. */
export const SEAT = 'example.com/seat'

const apps = join(import.meta.dirname, '..', '..', 'apps')

/** Starts the built scheduler. */
export function startScheduler(server: RealApiServer): ServerProcess {
  return startApp('scheduler', server, (kubeconfig) => ({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps: 10_000, burst: 20_000 },
    leaderElection: { leaderElect: false },
    profiles: [{ schedulerName: SCHEDULER_NAME }],
  }))
}

/** Starts the built advertiser, which writes four seats to every node. */
export function startAdvertiser(server: RealApiServer): ServerProcess {
  return startApp('advertiser', server, (kubeconfig) => ({
    kubeconfig,
    resources: [{ name: SEAT, units: 4, nodes: { selector: {} } }],
  }))
}

function startApp(
  name: string,
  { dir, ...server }: RealApiServer,
  config: (kubeconfig: string) => object,
): ServerProcess {
  const kubeconfig = join(dir, `${name}.kubeconfig`)
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  const file = join(dir, `${name}.yaml`)
  writeFileSync(file, stringify(config(kubeconfig)))
  const args = [join(apps, name, 'dist', 'main.js'), '--config', file, '--health-address', '127.0.0.1:0']
  return startServerProcess(process.execPath, args, join(dir, `${name}.log`))
}
