import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { processMemory, type ProcessMemory } from '@berth/e2e/real-api-server/process-memory'
import { startServerProcess } from '@berth/e2e/real-api-server/server-process'
import { type ClusterAccess, loadKubeconfig } from '@berth/k8s-client'

const LIMIT_MS = 300_000
/** Half a million pods need more than Node's default. */
const HEAP_MIB = 7_000

/** An API server of the embedded cluster in a process of its own. */
export interface ScaleCluster extends AsyncDisposable {
  readonly dir: string
  /** Time from the start of the process until it serves every object. */
  readonly readyMs: number
  access(): ClusterAccess
  kubeconfig(): string
  memory(): ProcessMemory
}

/** Starts an API server with nodes and bound pods. */
export async function startCluster(nodes: number, pods: number): Promise<ScaleCluster> {
  await using stack = new AsyncDisposableStack()
  const dir = mkdtempSync(join(tmpdir(), 'berth-scale-'))
  stack.defer(() => rmSync(dir, { recursive: true }))
  const kubeconfig = join(dir, 'kubeconfig')
  const log = join(dir, 'cluster.log')
  const main = join(import.meta.dirname, 'cluster-process.ts')
  const flags = [`--max-old-space-size=${HEAP_MIB}`, '-C', '@berth/source', main]
  const startedMs = performance.now()
  const server = startServerProcess(process.execPath, [...flags, String(nodes), String(pods), kubeconfig], log)
  stack.defer(() => server.kill())
  while (!readFileSync(log, 'utf8').includes('ready')) {
    const end = server.exit()
    if (end !== undefined) throw new Error(`the cluster exited: ${end}: ${server.lastLogLines()}`)
    if (performance.now() - startedMs > LIMIT_MS) throw new Error(`the cluster is not ready: ${server.lastLogLines()}`)
    await pause(50)
  }
  const readyMs = performance.now() - startedMs
  const owned = stack.move()
  return {
    dir,
    readyMs,
    access: () => loadKubeconfig({ path: kubeconfig, env: {}, home: dir }),
    kubeconfig: () => readFileSync(kubeconfig, 'utf8'),
    memory: () => processMemory(server.pid ?? Number.NaN),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
