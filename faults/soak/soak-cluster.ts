import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@berth/clock'
import { realApiServerBinaries, startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { startServerProcess, type ServerProcess } from '@berth/e2e/real-api-server/server-process'
import { connectCluster, loadKubeconfig, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import { silentLogger, type Node } from '@berth/types'

/** Which API server a soak runs on. */
export type ClusterKind = 'real' | 'embedded'

/** A cluster of three nodes with embedded kubelets, in processes of its own. */
export interface SoakCluster extends AsyncDisposable {
  readonly kind: ClusterKind
  readonly kubeconfig: string
  readonly client: ApiClient
  /** Names of the nodes. */
  readonly nodes: readonly [string, string, string]
  /** Returns the directory for the sockets of a node. */
  nodeDir(node: string): string
  /** Restarts the kubelet of a node. Undefined on a real API server, which its kubelets only join. */
  readonly restartKubelet: ((node: string) => Promise<void>) | undefined
  /** Returns why a process of the cluster ended, or undefined while all run. */
  exit(): string | undefined
}

const root = join(import.meta.dirname, '../..')
const START_TIMEOUT_MS = 180_000

/** Returns `real` if kube-apiserver and etcd were built on this machine. */
export function defaultClusterKind(): ClusterKind {
  return realApiServerBinaries() === undefined ? 'embedded' : 'real'
}

/**
 * Starts a cluster.
 *
 * @param dir - For sockets and logs. Short, because the paths of Unix sockets below it are limited to 107 bytes.
 * @throws Error if a program is missing or does not get ready.
 */
export async function startSoakCluster(kind: ClusterKind, dir: string): Promise<SoakCluster> {
  await using parts = new AsyncDisposableStack()
  const kubeconfig = join(dir, 'kubeconfig')
  const nodesDir = join(dir, 'n')
  const names = ['1', '2', '3'].map((number) => `node-${number}`) as [string, string, string]
  const common = ['--nodes', String(names.length), '--dir', nodesDir]
  let flags = [...common, '--kubeconfig', kubeconfig, '--no-default-scheduler']
  if (kind === 'real') {
    const server = parts.use(await startRealApiServer({ hasControllers: true }))
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
    flags = [...common, '--join', kubeconfig, '--prefix', 'node']
  }
  const simulate = join(root, 'apps/kubectl-berth/src/main.ts')
  const args = ['-C', '@berth/source', simulate, 'simulate', ...flags]
  const simulator: ServerProcess = startServerProcess(process.execPath, args, join(dir, 'cluster.log'))
  parts.defer(() => simulator.stop())
  const exit = (): string | undefined => {
    const how = simulator.exit()
    return how === undefined ? undefined : `the cluster ended by itself (${how}): ${simulator.lastLogLines()}`
  }
  await until('the cluster to start', async () => {
    const how = exit()
    if (how !== undefined) throw new Error(how)
    return simulator.lastLogLines().split('\n').includes('ready') || undefined
  })
  const cluster = parts.use(
    connectCluster({
      access: loadKubeconfig({ path: kubeconfig, env: {}, home: dir }),
      log: silentLogger,
      clock: systemClock(),
      random: Math.random,
      userAgent: 'berth-soak',
      qps: 0,
    }),
  )
  const { client } = cluster
  await until('three nodes to be Ready', async () => {
    const { items } = await client.list<Node>(resourceRefs.nodes)
    return items.filter(isReady).length === names.length || undefined
  })
  const owned = parts.move()
  return {
    kind,
    kubeconfig,
    client,
    nodes: names,
    nodeDir: (node) => join(nodesDir, node),
    restartKubelet:
      kind === 'real'
        ? undefined
        : async (node) => {
            const path = `/berth.sim/v1/kubelets/${node}/restart`
            const { status } = await client.raw({ method: 'POST', path, headers: {} })
            if (status >= 300) throw new Error(`restart the kubelet of ${node}: the API server answers ${status}`)
          },
    exit,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Polls for at most three minutes. */
async function until(what: string, look: () => Promise<true | undefined>): Promise<void> {
  await eventually(look, { what, timeoutMs: START_TIMEOUT_MS, intervalMs: 200, signal: new AbortController().signal })
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')
}
