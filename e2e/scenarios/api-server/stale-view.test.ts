import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cluster, resourceRefs } from '@berth/k8s-client'
import { type RunningProgram, startProgram } from '@berth/process/testing'
import { eventually } from '@berth/testing'
import type { Node, Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'
import { openWatchGate, type WatchGate } from '../../real-api-server/watch-gate.ts'
import { acceptedBinds, judgeReplicas, prepareWriteLog, type WriteLog } from '../../real-scheduler/audited-binds.ts'

const DONGLE = 'example.com/dongle'
const UNITS = 2
const LEASE_S = 6
const REPLICAS = /^replica-/
/** A leader that decided on a stale view would bind within this time. */
const WOULD_BIND_MS = 4_000
/** F8: how soon waiting pods are bound once the view is current. */
const RECOVERY_MS = 5_000
const main = join(import.meta.dirname, '../../../apps/scheduler/src/main.ts')

describe('a scheduler that reads from an API server whose watch cache is stale', () => {
  const parts = new AsyncDisposableStack()
  const dir = mkdtempSync(join(tmpdir(), 'berth-stale-'))
  let log: WriteLog
  let server: RealApiServer
  let gate: WatchGate
  let stalePort: number
  let cluster: Cluster
  let stale: Cluster

  beforeAll(async () => {
    parts.defer(() => rmSync(dir, { recursive: true }))
    log = prepareWriteLog(dir)
    server = parts.use(await startRealApiServer({ flags: log.flags }))
    gate = parts.use(await openWatchGate(server.etcdPort))
    stalePort = await server.startAnother(gate.port, log.otherFlags)
    cluster = parts.use(connectQuietly({ access: server.access() }))
    stale = parts.use(connectQuietly({ access: server.access('admin', stalePort) }))
    const amounts = { cpu: '4', memory: '8Gi', pods: '100', [DONGLE]: String(UNITS) }
    await cluster.client.create<Node>(resourceRefs.nodes, { metadata: { name: 'node-1' } })
    // Without kubelets, the taint of a node that is not ready would stay.
    await cluster.client.patch(resourceRefs.nodes, { name: 'node-1' }, { spec: { taints: null } }, { type: 'merge' })
    const status = { capacity: amounts, allocatable: amounts }
    await cluster.client.patchNodeStatus('node-1', { status }, { fieldManager: 'e2e' })
  })
  afterAll(() => parts.disposeAsync())

  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 60_000, intervalMs: 50, signal: new AbortController().signal })

  const startReplica = (user: 'replica-a' | 'replica-b', name: string, port?: number): RunningProgram => {
    const write = (suffix: string, text: string): string => {
      const path = join(dir, `${name}-${user}.${suffix}`)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    }
    const times = `leaseDuration: ${LEASE_S}s, renewDeadline: 4s, retryPeriod: 1s`
    const config = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: true, resourceName: ${name}, resourceNamespace: kube-system, ${times} }
profiles: [{ schedulerName: ${name} }]
`
    const kubeconfig = write('kubeconfig', server.kubeconfig(user, port))
    const flags = ['--health-address', '127.0.0.1:0', '--config', write('yaml', config), '--kubeconfig', kubeconfig]
    return startProgram(main, flags)
  }
  const createPod = async (schedulerName: string, name: string, nodeName?: string): Promise<void> => {
    const amount = { [DONGLE]: '1' }
    const containers = [{ name: 'main', image: 'none', resources: { requests: amount, limits: amount } }]
    const metadata = { namespace: 'default', name: `${schedulerName}-${name}` }
    await cluster.client.create<Pod>(resourceRefs.pods, {
      metadata,
      spec: { schedulerName, containers, ...(nodeName !== undefined && { nodeName }) },
    })
  }
  const deletePod = (schedulerName: string, name: string): Promise<unknown> =>
    cluster.client.delete(
      resourceRefs.pods,
      { namespace: 'default', name: `${schedulerName}-${name}` },
      { gracePeriodSeconds: 0 },
    )
  const boundOf = (schedulerName: string, pods: readonly Pod[]): readonly string[] =>
    pods
      .filter(({ spec }) => spec.schedulerName === schedulerName && spec.nodeName !== undefined)
      .map(({ metadata }) => metadata.name?.slice(schedulerName.length + 1) ?? '')
      .toSorted()
  const bound = async (schedulerName: string): Promise<readonly string[]> =>
    boundOf(schedulerName, (await cluster.client.list<Pod>(resourceRefs.pods)).items)
  /** Returns the pods of a scheduler in the watch cache of the other server. */
  const stalePods = async (schedulerName: string): Promise<readonly Pod[]> => {
    const path = '/api/v1/namespaces/default/pods?resourceVersion=0'
    const { body } = await stale.client.raw({ method: 'GET', path, headers: { accept: 'application/json' } })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly items: readonly Pod[] }
    return items.filter(({ spec }) => spec.schedulerName === schedulerName)
  }
  const untilBoundCount = (schedulerName: string, count: number): Promise<true> =>
    until(`${count} pods to be bound`, async () => (await bound(schedulerName)).length === count || undefined)

  test.for([
    { it: 'was waiting for the Lease when its view became stale', name: 'standby', isRestarted: false },
    { it: 'is started while the view is stale', name: 'restarted', isRestarted: true },
  ])('neither overcommits nor binds twice when it takes over and $it', async ({ name, isRestarted }) => {
    const fromMs = Date.now()
    await using ending = new AsyncDisposableStack()
    const start = (...args: Parameters<typeof startReplica>): RunningProgram => {
      const program = startReplica(...args)
      ending.defer(async () => {
        program.child.kill('SIGKILL')
        await program.ended
      })
      return program
    }
    ending.defer(() => gate.release())
    const leader = start('replica-b', name)
    await leader.line('Scheduling')
    const standby = isRestarted ? undefined : start('replica-a', name, stalePort)
    await standby?.line('The leader changed')
    await createPod(name, 'a')
    await untilBoundCount(name, 1)
    await until(
      'the other server to know it',
      async () => boundOf(name, await stalePods(name)).length === 1 || undefined,
    )

    // The stale view: `a` holds one of two units, and `b` waits. In truth, `c` holds the other, which another program bound.
    leader.child.kill('SIGSTOP')
    await createPod(name, 'b')
    await until('the other server to know it', async () => (await stalePods(name)).length === 2 || undefined)
    gate.hold()
    await createPod(name, 'c', 'node-1')
    leader.child.kill('SIGKILL')
    await leader.ended
    const next = standby ?? start('replica-a', name, stalePort)
    if (standby === undefined) await next.line('Serving health')
    await pause(LEASE_S * 1_000 + WOULD_BIND_MS)
    expect(await bound(name)).toEqual(['a', 'c'])
    expect(boundOf(name, await stalePods(name))).toEqual(['a'])

    await deletePod(name, 'a')
    const releasedMs = performance.now()
    gate.release()
    await next.line('Scheduling')
    await untilBoundCount(name, UNITS)
    expect(performance.now() - releasedMs).toBeLessThan(RECOVERY_MS)

    const records = log.read(fromMs)
    expect(judgeReplicas(records, { users: REPLICAS, lease: `kube-system/${name}` })).toEqual([])
    expect(acceptedBinds(records, REPLICAS).map(({ by }) => by)).toEqual(['replica-b', 'replica-a'])
    await Promise.all(['b', 'c'].map((pod) => deletePod(name, pod)))
  })
})
