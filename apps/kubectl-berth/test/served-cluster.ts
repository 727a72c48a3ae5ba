import { systemClock } from '@berth/clock'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiClient, connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { type Node, silentLogger } from '@berth/types'

/** An embedded API server over TLS on loopback, for programs that run as processes. */
export interface ServedCluster {
  readonly client: ApiClient
  readonly kubeconfig: string
  addNode(
    name: string,
    amounts: Readonly<Record<string, string>>,
    labels: Readonly<Record<string, string>>,
  ): Promise<void>
  close(): Promise<void>
}

/** Starts an API server whose kubeconfig is in `dir`. */
export async function startServedCluster(dir: string): Promise<ServedCluster> {
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  const served = await serveApiServer(createApiServer(world))
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, served.kubeconfig())
  const access = loadKubeconfig({ path: kubeconfig, env: {}, home: dir })
  const admin = connectCluster({ access, ...world, qps: 0, userAgent: 'test' })
  return {
    client: admin.client,
    kubeconfig,
    async addNode(name, amounts, labels) {
      const status = { capacity: amounts, allocatable: amounts }
      await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name, labels }, spec: {} })
      await admin.client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
    },
    async close() {
      await admin[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
    },
  }
}
