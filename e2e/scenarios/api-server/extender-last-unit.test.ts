import { systemClock } from '@berth/clock'
import { eventually } from '@berth/testing'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { createApiServer, serveApiServer, type ServedApi } from '@berth/simulator'
import { createLaggingServer, type LaggingServer } from '@berth/simulator/testing'
import { silentLogger, type Node, type Pod } from '@berth/types'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { openTcpGate } from '../../real-api-server/tcp-gate.ts'
import { createAuthority } from '../../real-scheduler/certificates.ts'
import { type ExtenderProcess, startExtender } from '../../real-scheduler/extender-process.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'
import { createRetrySignalObject } from '../../real-scheduler/retry-signal-object.ts'

const DONGLE = 'example.com/dongle'
const NODES = 50
const UNITS_PER_NODE = 10
const UNITS = NODES * UNITS_PER_NODE
const PODS = 1_000
const WATCH_DELAY_MS = 50
const WAIT_MS = 600_000
/** Go's client opens a few connections when many calls start before the first one is ready for HTTP/2. */
const MAX_CONNECTIONS = 8

/** An embedded cluster whose reads and watches are late, and a folder for the files of its programs. */
interface LateCluster extends AsyncDisposable {
  readonly dir: string
  readonly served: ServedApi
  readonly lagging: LaggingServer
  /** Client without the delay. */
  readonly admin: Cluster
}

async function createNode(client: Cluster['client'], name: string, dongles: number): Promise<void> {
  const amounts = { cpu: '64', memory: '256Gi', pods: '500', [DONGLE]: `${dongles}` }
  const status = { capacity: amounts, allocatable: amounts }
  await client.create<Node>(resourceRefs.nodes, { metadata: { name }, spec: {}, status })
  await client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
}

/** Creates a pod that requests one dongle. */
async function createPod(client: Cluster['client'], name: string): Promise<void> {
  const resources = { requests: { [DONGLE]: '1' }, limits: { [DONGLE]: '1' } }
  await client.create<Pod>(resourceRefs.pods, {
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'none', resources }] },
  })
}

async function startLateCluster(): Promise<LateCluster> {
  await using parts = new AsyncDisposableStack()
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  const api = createApiServer(world)
  const lagging = parts.use(createLaggingServer(api, { lagMs: WATCH_DELAY_MS, random: Math.random }))
  const served = parts.use(await serveApiServer(lagging))
  const admin = parts.use(connectQuietly({ handler: api.handle }))
  const dir = parts.adopt(mkdtempSync(join(tmpdir(), 'berth-last-unit-')), (path) => rmSync(path, { recursive: true }))
  for (let i = 0; i < NODES; i++) await createNode(admin.client, `node-${i}`, UNITS_PER_NODE)
  for (let i = 0; i < PODS; i++) await createPod(admin.client, `pod-${i}`)
  const owned = parts.move()
  return { dir, served, lagging, admin, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

interface Placement {
  readonly bound: number
  /** Pods that kube-scheduler has reported as unschedulable. */
  readonly waiting: number
  /** Nodes with more pods than units. */
  readonly overcommitted: readonly string[]
}

async function placementOf({ admin }: LateCluster): Promise<Placement> {
  const { items } = await admin.client.list<Pod>(resourceRefs.pods, { namespace: 'default' })
  const placed = items.flatMap(({ spec }) => spec.nodeName ?? [])
  const overcommitted = [...Map.groupBy(placed, (node) => node)].flatMap(([node, pods]) =>
    pods.length > UNITS_PER_NODE ? [node] : [],
  )
  const waiting = items.filter(
    ({ spec, status }) =>
      spec.nodeName === undefined && status?.conditions?.some(({ reason }) => reason === 'Unschedulable'),
  ).length
  return { bound: placed.length, waiting, overcommitted }
}

/** Waits until no pod can change any more: every unit is taken and every other pod is unschedulable. */
function settled(cluster: LateCluster): Promise<Placement> {
  return eventually(
    async () => {
      const placement = await placementOf(cluster)
      return placement.bound >= UNITS && placement.bound + placement.waiting === PODS ? placement : undefined
    },
    { what: 'all pods to be decided', timeoutMs: WAIT_MS, intervalMs: 500, signal: new AbortController().signal },
  )
}

const entry = { managedResources: [{ name: DONGLE, ignoredByScheduler: true }] }
const exact: Placement = { bound: UNITS, waiting: PODS - UNITS, overcommitted: [] }

describe('1,000 pods for 500 units from a real kube-scheduler, with 50 ms of watch delay', () => {
  async function start(cluster: LateCluster, name: string): Promise<ExtenderProcess> {
    const { dir, served } = cluster
    const options = { dir, name, kubeconfig: served.kubeconfig(), server: await authority.issue('extender') }
    const config = { bind: true, ignoredResources: [DONGLE] }
    return startExtender({ ...options, ca: authority.ca, config })
  }
  let authority: Awaited<ReturnType<typeof createAuthority>>

  test('bind exactly 500', async () => {
    authority = await createAuthority()
    await using cluster = await startLateCluster()
    await using parts = new AsyncDisposableStack()
    const { port } = parts.use(await start(cluster, 'a'))
    const caller = await authority.issue('kube-scheduler')
    const extender = { port, ca: authority.ca, caller, entry }
    const scheduler = startKubeScheduler({ dir: cluster.dir, kubeconfig: cluster.served.kubeconfig(), extender })
    parts.defer(() => scheduler.kill())
    expect(await settled(cluster)).toEqual(exact)
    expect(cluster.lagging.staleReads).toBeGreaterThan(0)
  })

  test('bind exactly 500 when one of two replicas is killed in the middle', async () => {
    authority = await createAuthority()
    await using cluster = await startLateCluster()
    await using parts = new AsyncDisposableStack()
    const first = await start(cluster, 'a')
    const second = parts.use(await start(cluster, 'b'))
    const gate = parts.use(await openTcpGate(first.port))
    const caller = await authority.issue('kube-scheduler')
    const extender = { port: gate.port, ca: authority.ca, caller, entry }
    const scheduler = startKubeScheduler({ dir: cluster.dir, kubeconfig: cluster.served.kubeconfig(), extender })
    parts.defer(() => scheduler.kill())
    const boundByFirst = await eventually(
      async () => {
        const { bound } = await placementOf(cluster)
        return bound >= 100 ? bound : undefined
      },
      { what: '100 bound pods', timeoutMs: WAIT_MS, intervalMs: 10, signal: new AbortController().signal },
    )
    expect(boundByFirst).toBeLessThan(UNITS)
    await first.kill()
    const connectionsToFirst = gate.connections()
    gate.forwardTo(second.port)
    expect(await settled(cluster)).toEqual(exact)
    // Hundreds of filter and bind calls share each of them over HTTP/2.
    expect(connectionsToFirst).toBeLessThanOrEqual(MAX_CONNECTIONS)
    expect(gate.connections() - connectionsToFirst).toBeLessThanOrEqual(MAX_CONNECTIONS)
  })
})

describe('an extender whose watch is 2 s late, beside a real kube-scheduler without a delay', () => {
  test('gives a freed unit to a pod that was retried before the extender saw the deletion', async () => {
    const authority = await createAuthority()
    await using parts = new AsyncDisposableStack()
    const world = { clock: systemClock(), random: Math.random, log: silentLogger }
    const api = createApiServer(world)
    const lagging = parts.use(createLaggingServer(api, { lagMs: 2_000, random: Math.random }))
    const [onTime, late] = [parts.use(await serveApiServer(api)), parts.use(await serveApiServer(lagging))]
    const { client } = parts.use(connectQuietly({ handler: api.handle }))
    const dir = parts.adopt(mkdtempSync(join(tmpdir(), 'berth-retry-')), (path) => rmSync(path, { recursive: true }))
    const retrySignal = await createRetrySignalObject(client)
    await createNode(client, 'node-1', 1)
    const until = (what: string, look: () => Promise<true | undefined>) =>
      eventually(look, { what, timeoutMs: 60_000, signal: new AbortController().signal })
    const pod = async (name: string) => client.find<Pod>(resourceRefs.pods, { namespace: 'default', name })
    const isBound = async (name: string) => ((await pod(name))?.spec.nodeName === 'node-1' ? true : undefined)
    const extender = parts.use(
      await startExtender({
        dir,
        name: 'late',
        kubeconfig: late.kubeconfig(),
        server: await authority.issue('extender'),
        ca: authority.ca,
        config: { bind: true, ignoredResources: [DONGLE], retrySignal },
      }),
    )
    const scheduler = startKubeScheduler({
      dir,
      kubeconfig: onTime.kubeconfig(),
      extender: { port: extender.port, ca: authority.ca, caller: await authority.issue('kube-scheduler'), entry },
    })
    parts.defer(() => scheduler.kill())

    await createPod(client, 'holder')
    await until('the holder to be bound', () => isBound('holder'))
    await createPod(client, 'waiting')
    await until('the waiting pod to be refused', async () => {
      const conditions = (await pod('waiting'))?.status?.conditions
      return conditions?.some(({ reason }) => reason === 'Unschedulable') ? true : undefined
    })
    await client.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
    await until('the waiting pod to be bound', () => isBound('waiting'))
    expect((await pod('holder'))?.metadata.name).toBeUndefined()
  })
})
