import { systemClock } from '@berth/clock'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { startProgram, type RunningProgram } from '@berth/process/testing'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { type Node, silentLogger } from '@berth/types'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Starts the scheduler as a process. */
export const startScheduler = (argv: readonly string[]): RunningProgram => startProgram(main, argv)

/** An embedded API server with one node, over TLS on loopback. */
export interface ServedApi extends AsyncDisposable {
  readonly kubeconfig: string
  /** A directory for files of the test. */
  readonly dir: string
  readonly admin: ReturnType<typeof connectCluster>
}

export async function startApi(): Promise<ServedApi> {
  const clock = systemClock()
  const world = { clock, random: Math.random, log: silentLogger }
  const served = await serveApiServer(createApiServer(world))
  const dir = mkdtempSync(join(tmpdir(), 'berth-process-'))
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, served.kubeconfig())
  const access = loadKubeconfig({ path: kubeconfig, env: {}, home: dir })
  const admin = connectCluster({ access, ...world, qps: 0, userAgent: 'test' })
  const status = {
    capacity: { cpu: '4', memory: '8Gi', pods: '10' },
    allocatable: { cpu: '4', memory: '8Gi', pods: '10' },
  }
  await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name: 'node-a' }, spec: {}, status })
  await admin.client.patch(resourceRefs.nodes, { name: 'node-a' }, { status }, { type: 'merge', subresource: 'status' })
  return {
    kubeconfig,
    dir,
    admin,
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true })
    },
  }
}
