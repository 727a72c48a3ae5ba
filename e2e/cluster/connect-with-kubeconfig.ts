import { systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import { connectCluster, loadKubeconfig, type Cluster } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'

/** Connects to the cluster that a kubeconfig names, without a rate limit. */
export function connectWithKubeconfig(kubeconfig: string): Cluster {
  return connectCluster({
    access: loadKubeconfig({ path: kubeconfig, env: process.env, home: homedir() }),
    log: silentLogger,
    clock: systemClock(),
    random: Math.random,
    userAgent: 'berth-e2e',
    qps: 0,
  })
}
