import { systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import {
  connectCluster,
  loadKubeconfig,
  type Cluster,
  type ClusterAccess,
  type ConnectOptions,
} from '@berth/k8s-client'
import { silentLogger } from '@berth/types'

/** Connects without a log and, unless the options set one, without a rate limit. */
export function connectQuietly(options: Partial<ConnectOptions>): Cluster {
  const defaults = { log: silentLogger, clock: systemClock(), random: Math.random, userAgent: 'berth-e2e', qps: 0 }
  return connectCluster({ ...defaults, ...options })
}

/** Connects like {@link connectQuietly}, to the cluster that a kubeconfig names. */
export function connectWithKubeconfig(path: string, options: Partial<ConnectOptions> = {}): Cluster {
  return connectQuietly({ access: loadKubeconfig({ path, env: process.env, home: homedir() }), ...options })
}

/** Returns access that sends further headers, such as `impersonate-user`. */
export function withHeaders(access: ClusterAccess, headers: Readonly<Record<string, string>>): ClusterAccess {
  const credentials: ClusterAccess['credentials'] = async (options) => {
    const own = await access.credentials(options)
    return { ...own, headers: { ...own.headers, ...headers } }
  }
  return { ...access, credentials }
}
