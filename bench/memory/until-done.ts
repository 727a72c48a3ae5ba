import { setTimeout as pause } from 'node:timers/promises'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import type { ServerProcess } from '@berth/e2e/real-api-server/server-process'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'
import { watchPods } from '../scheduler/watch-pods.ts'
import type { ClusterSize } from './seeded-cluster.ts'
import { SEAT } from './start-programs.ts'

const LIMIT_MS = 300_000

/** Waits until every pod of the cluster is bound. Throws Error when the program exits, or after five minutes. */
export function untilBound(server: RealApiServer, { bound, waiting }: ClusterSize, by: ServerProcess): Promise<void> {
  return until(server, by, async (client) => {
    const { items } = await client.list<Pod>(resourceRefs.pods)
    return items.length === bound + waiting && items.every(({ spec }) => (spec.nodeName ?? '') !== '')
  })
}

/** Waits until every node offers the advertised resource. Throws as {@link untilBound} does. */
export function untilAdvertised(server: RealApiServer, { nodes }: ClusterSize, by: ServerProcess): Promise<void> {
  return until(server, by, async (client) => {
    const { items } = await client.list<Node>(resourceRefs.nodes)
    return items.length === nodes && items.every(({ status }) => status?.allocatable?.[SEAT] === '4')
  })
}

async function until(
  server: RealApiServer,
  by: ServerProcess,
  isDone: (client: ApiClient) => Promise<boolean>,
): Promise<void> {
  await using watcher = await watchPods(server)
  const deadlineMs = performance.now() + LIMIT_MS
  while (!(await isDone(watcher.cluster.client))) {
    const end = by.exit()
    if (end !== undefined) throw new Error(`the program exited: ${end}: ${by.lastLogLines()}`)
    if (performance.now() > deadlineMs) throw new Error(`not done after ${LIMIT_MS} ms: ${by.lastLogLines()}`)
    await pause(500)
  }
}
