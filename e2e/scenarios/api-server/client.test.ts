import { systemClock } from '@berth/clock'
import { setTimeout as pause } from 'node:timers/promises'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectCluster, resourceRefs, type Cluster, type ClusterAccess, type ConnectOptions } from '@berth/k8s-client'
import { silentLogger, type Event, type KubernetesObject, type Node, type Pod } from '@berth/types'
import { eventually, type OwnedProcess, ProcessGroup } from '@berth/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { largeCluster } from '../../real-api-server/large-cluster.ts'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'
import { waitUntilEqualToList } from '../../real-api-server/store-equality.ts'
import { openTcpGate } from '../../real-api-server/tcp-gate.ts'

const clock = systemClock()
const connect = (access: ClusterAccess, options: Partial<ConnectOptions> = {}): Cluster =>
  connectCluster({ access, log: silentLogger, clock, random: Math.random, userAgent: 'e2e/1', qps: 0, ...options })
const configMap = (name: string, text: string): KubernetesObject & { readonly data: Record<string, string> } => ({
  metadata: { namespace: 'default', name },
  data: { text },
})
const pod = (name: string): Pod => ({
  metadata: { namespace: 'default', name },
  spec: { containers: [{ name: 'main', image: 'none' }] },
})

/** Creates, changes and deletes ConfigMaps. Their names start with the round. */
async function churn(cluster: Cluster, round: string, count: number): Promise<void> {
  const { client } = cluster
  for (let i = 0; i < count; i++) {
    await client.create(resourceRefs.configMaps, configMap(`${round}-${i}`, 'new'))
    if (i % 3 === 1)
      await client.patch(
        resourceRefs.configMaps,
        { namespace: 'default', name: `${round}-${i}` },
        { data: { text: 'x' } },
        { type: 'merge' },
      )
    if (i % 3 === 2) await client.delete(resourceRefs.configMaps, { namespace: 'default', name: `${round}-${i - 1}` })
  }
}

describe('the client on a real kube-apiserver and etcd', () => {
  let server: RealApiServer
  beforeAll(async () => {
    server = await startRealApiServer()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
  })

  test('a mirror that starts right after seeding holds every object, each with its own resourceVersion', async () => {
    await using cluster = connect(server.access())
    const nodes = largeCluster(250, 0)
    await server.seed(nodes)
    const reflector = cluster.reflect(resourceRefs.nodes)
    await reflector.waitForSync()
    const versions = [...reflector.store.values()].map(({ metadata }) => metadata?.resourceVersion)
    expect(new Set(versions).size).toBe(250)
    expect(versions).toHaveLength(250)
  })

  test('list and watch survive a restart of the API server and of etcd: the store equals a fresh list', async () => {
    await using cluster = connect(server.access())
    const reflector = cluster.reflect(resourceRefs.configMaps)
    const observed = new Map<string, KubernetesObject>()
    const problems: string[] = []
    const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace}/${metadata?.name}`
    reflector.subscribe({
      onAdd: (object) =>
        void (observed.has(keyOf(object))
          ? problems.push(`twice ${keyOf(object)}`)
          : observed.set(keyOf(object), object)),
      onUpdate: (old, object) =>
        void (observed.get(keyOf(object)) === old
          ? observed.set(keyOf(object), object)
          : problems.push(`old ${keyOf(object)}`)),
      onDelete: (object) => void (observed.delete(keyOf(object)) || problems.push(`unknown ${keyOf(object)}`)),
    })
    await reflector.waitForSync()
    await churn(cluster, 'before', 30)
    await server.stop()
    await pause(1_000)
    await server.start()
    await churn(cluster, 'restarted', 30)
    const afterRestart = await waitUntilEqualToList(cluster, reflector)
    expect(afterRestart.length).toBeGreaterThan(30)
    await server.restartEtcd()
    await churn(cluster, 'etcd', 30)
    await waitUntilEqualToList(cluster, reflector)
    expect([...observed.keys()].toSorted()).toEqual([...reflector.store.keys()].toSorted())
    expect(problems).toEqual([])
    expect(reflector.stats().failures).toBeGreaterThan(0)
  })

  test('after a compaction while the client is cut off, relists once because of 410 and misses no event', async () => {
    await using direct = connect(server.access())
    await using gate = await openTcpGate(server.port)
    await using cluster = connect(server.access('admin', gate.port))
    const reflector = cluster.reflect(resourceRefs.configMaps)
    await reflector.waitForSync()
    const relistsBefore = reflector.stats().relists.get('expired') ?? 0
    gate.set('closed')
    await churn(direct, 'unseen', 40)
    // Neither the restarted API server nor the compacted etcd has the history any more.
    await server.stop()
    await server.start()
    await server.compact()
    await churn(direct, 'unseen-too', 10)
    gate.set('open')
    await waitUntilEqualToList(direct, reflector)
    expect((reflector.stats().relists.get('expired') ?? 0) - relistsBefore).toBe(1)
  })

  test('1,000 calls and two watches take two connections', async () => {
    await using gate = await openTcpGate(server.port)
    await using cluster = connect(server.access('admin', gate.port))
    await Promise.all([resourceRefs.pods, resourceRefs.nodes].map((ref) => cluster.reflect(ref).waitForSync()))
    for (let round = 0; round < 100; round++)
      await Promise.all(
        Array.from({ length: 10 }, () => cluster.client.get(resourceRefs.namespaces, { name: 'default' })),
      )
    expect(gate.connections()).toBe(2)
  })

  test('reports the outcome of a bind: bound, already bound, bound to another node, a deleted pod, a name that another pod has now, a lost response', async () => {
    await using gate = await openTcpGate(server.port)
    await using cluster = connect(server.access('admin', gate.port))
    await using direct = connect(server.access())
    const { client } = cluster
    const first = await client.create(resourceRefs.pods, pod('first'))
    expect(await client.bind(first, 'node-a')).toEqual({ kind: 'bound' })
    for (const nodeName of ['node-a', 'node-b']) {
      expect(await client.bind(first, nodeName)).toEqual({
        kind: 'rejected',
        status: 409,
        message: expect.stringContaining('already assigned to node "node-a"') as string,
      })
    }
    const remove = (target: Pod): Promise<boolean> =>
      direct.client.delete(
        resourceRefs.pods,
        { namespace: 'default', name: target.metadata.name ?? '' },
        { gracePeriodSeconds: 0 },
      )
    await remove(first)
    expect(await client.bind(first, 'node-a')).toMatchObject({ kind: 'rejected', status: 404 })
    const second = await client.create(resourceRefs.pods, pod('first'))
    expect(await client.bind(first, 'node-a')).toMatchObject({ kind: 'rejected', status: 409 })
    expect(
      (await client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'first' })).spec.nodeName,
    ).toBeUndefined()
    gate.set('mute')
    const binding = client.bind(second, 'node-c')
    for (let tries = 0; tries < 100; tries++) {
      const seen = await direct.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'first' })
      if (seen.spec.nodeName === 'node-c') break
      await pause(50)
    }
    gate.set('open')
    gate.cut()
    expect(await binding).toMatchObject({ kind: 'unknown' })
    await remove(second)
  })

  test('patches with every patch type, detects a stale update, writes node status and evicts a pod', async () => {
    await using cluster = connect(server.access())
    const { client } = cluster
    const target = { namespace: 'default', name: 'patched' }
    await client.create(resourceRefs.configMaps, configMap('patched', 'one'))
    const bodies = [
      ['merge', { data: { merge: 'yes' } }],
      ['json', [{ op: 'add', path: '/data/json', value: 'yes' }]],
      ['strategic', { data: { strategic: 'yes' } }],
      ['apply', { apiVersion: 'v1', kind: 'ConfigMap', data: { apply: 'yes' } }],
    ] as const
    for (const [type, body] of bodies)
      await client.patch(resourceRefs.configMaps, target, body, { type, fieldManager: `e2e-${type}` })
    const patched = await client.get<KubernetesObject & { readonly data: object }>(resourceRefs.configMaps, target)
    expect(patched.data).toEqual({ text: 'one', merge: 'yes', json: 'yes', strategic: 'yes', apply: 'yes' })
    const stale = { ...patched, data: { text: 'stale' } }
    await client.modify<typeof patched>(resourceRefs.configMaps, target, (now) => ({ ...now, data: { text: 'two' } }))
    await expect(client.update(resourceRefs.configMaps, stale)).rejects.toMatchObject({ code: 'BERTH_API_CONFLICT' })
    const node = { metadata: { name: 'patched-node' } }
    await client.create(resourceRefs.nodes, node)
    const status = { status: { capacity: { 'example.com/dongle': '4' }, allocatable: { 'example.com/dongle': '4' } } }
    const written = await client.patchNodeStatus('patched-node', status, { fieldManager: 'e2e' })
    expect(written).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'patched-node' } })
    const patchedNode = await client.get<Node>(resourceRefs.nodes, node.metadata)
    expect(patchedNode.status?.allocatable).toMatchObject({ 'example.com/dongle': '4' })
    await client.delete(resourceRefs.nodes, { name: 'patched-node' })
    const evicted = await client.create(resourceRefs.pods, pod('evicted'))
    expect(await client.evict(evicted)).toEqual({ kind: 'evicted' })
    expect(await client.evict(evicted)).toEqual({ kind: 'gone' })
  })

  test('combines repeated events into one series', async () => {
    const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'noisy', uid: 'u' }
    await using reader = connect(server.access())
    {
      await using cluster = connect(server.access(), { userAgent: 'berth-e2e/1' })
      for (let i = 0; i < 5; i++)
        cluster.events.record({ regarding, type: 'Warning', reason: 'Noisy', action: 'Testing', note: 'again' })
    }
    const { items } = await reader.client.list<Event>(resourceRefs.events, { namespace: 'default' })
    const noisy = items.filter(({ reason }) => reason === 'Noisy')
    expect(noisy).toHaveLength(1)
    expect(noisy[0]).toMatchObject({ series: { count: 5 }, reportingController: 'berth-e2e', note: 'again' })
    expect(noisy[0]?.eventTime).toMatch(/\.\d{6}Z$/)
  })

  test.for([
    [
      'stranger',
      'list pods: Unauthorized (401)',
      'The credentials were refused: renew the token or the client certificate.',
    ],
    [
      'nobody',
      'list pods: pods is forbidden: User "nobody" cannot list resource "pods" in API group "" at the cluster scope (403)',
      'Grant the verb "list" on the resource "pods" (API group "") to this identity.',
    ],
  ] as const)('reports in one line with a hint why %s is refused', async ([identity, message, hint]) => {
    await using cluster = connect(server.access(identity))
    await expect(cluster.client.list(resourceRefs.pods)).rejects.toMatchObject({ message, hint })
    const reflector = cluster.reflect(resourceRefs.pods)
    const hasFailed = async (): Promise<true | undefined> => reflector.failure() !== undefined || undefined
    await eventually(hasFailed, {
      what: 'the mirror to report its failure',
      timeoutMs: 30_000,
      signal: new AbortController().signal,
    })
    await pause(1_500)
    expect(reflector.failure()?.message.replaceAll('watch', 'list')).toBe(message)
    expect(reflector.stats().watches).toBeLessThan(5)
  })

  describe('a lease', () => {
    let group = new ProcessGroup()
    // A candidate that a failed test left running would hold the lease in the next test.
    afterEach(async () => {
      await group[Symbol.asyncDispose]()
      group = new ProcessGroup()
    })
    const candidate = (identity: string, ...flags: readonly string[]): OwnedProcess => {
      const kubeconfig = join(server.dir, 'kubeconfig')
      writeFileSync(kubeconfig, server.kubeconfig())
      const program = join(import.meta.dirname, '..', '..', 'real-api-server', 'lease-candidate.ts')
      return group.start({
        name: identity,
        args: ['-C', '@berth/source', program, kubeconfig, identity, ...flags],
        logPath: join(server.dir, `${identity}.log`),
      })
    }
    /** Returns the writers in the order in which the API server accepted their writes. */
    const writers = async (cluster: Cluster, names: readonly string[]): Promise<readonly string[]> => {
      const { items } = await cluster.client.list(resourceRefs.configMaps, {
        labelSelector: `writer in (${names.join()})`,
      })
      return items
        .toSorted((a, b) => Number(a.metadata?.resourceVersion) - Number(b.metadata?.resourceVersion))
        .map(({ metadata }) => metadata?.labels?.['writer'] ?? '')
    }
    /** Stops the holder past its lease, lets another candidate take over, and continues the holder. Returns its late writes. */
    const freezeHolder = async (
      cluster: Cluster,
      old: string,
      next: string,
      ...flags: readonly string[]
    ): Promise<number> => {
      const holder = candidate(old, ...flags)
      await holder.line(/wrote 3/, { timeoutMs: 30_000 })
      const successor = candidate(next)
      process.kill(holder.pid, 'SIGSTOP')
      await successor.line(/wrote 5/, { timeoutMs: 30_000 })
      process.kill(holder.pid, 'SIGCONT')
      const isFenced = !flags.includes('--unfenced') && !flags.includes('--check-once')
      const lateWrites = async (): Promise<number> => {
        const order = await writers(cluster, [old, next])
        return order.slice(order.indexOf(next)).filter((name) => name === old).length
      }
      // Waits until the continued holder skips a turn or its late write is visible. The pause gives it time to send more.
      if (isFenced) await holder.line(/held back/, { timeoutMs: 30_000 })
      else {
        const hasWrittenLate = async (): Promise<true | undefined> => (await lateWrites()) > 0 || undefined
        const signal = new AbortController().signal
        await eventually(hasWrittenLate, { what: `a write of ${old} after the takeover`, timeoutMs: 30_000, signal })
      }
      await pause(2_000)
      const order = await writers(cluster, [old, next])
      expect(order.filter((name) => name === old).length).toBeGreaterThanOrEqual(4)
      expect(order.filter((name) => name === next).length).toBeGreaterThanOrEqual(6)
      await holder.stop()
      await successor.stop()
      return await lateWrites()
    }

    test('passes to the next candidate at once when its holder shuts down', async () => {
      await using cluster = connect(server.access())
      // Longer than the wait below: a candidate does not wait for a released lease to expire.
      const longLease = ['--lease-seconds=60']
      const first = candidate('orderly-a', ...longLease)
      await first.line(/wrote 3/, { timeoutMs: 30_000 })
      const second = candidate('orderly-b', ...longLease)
      await second.line(/waiting/, { timeoutMs: 30_000 })
      await pause(1_000)
      expect(second.output()).not.toContain('leading')
      await first.stop()
      await second.line(/wrote 3/, { timeoutMs: 40_000 })
      const order = await writers(cluster, ['orderly-a', 'orderly-b'])
      expect(order.slice(order.indexOf('orderly-b'))).not.toContain('orderly-a')
      await second.stop()
    })

    test('a holder that was stopped past its lease (SIGSTOP) writes nothing after the takeover', async () => {
      await using cluster = connect(server.access())
      expect(await freezeHolder(cluster, 'frozen-a', 'frozen-b')).toBe(0)
    })

    test('a stopped holder whose writes wait for the rate limit sends none of them after the takeover', async () => {
      await using cluster = connect(server.access())
      expect(await freezeHolder(cluster, 'queued-a', 'queued-b', '--queued')).toBe(0)
    })

    test('the check detects a holder that calls stillLeader() when a write begins but not when it is sent', async () => {
      await using cluster = connect(server.access())
      const flags = ['--queued', '--check-once'] as const
      expect(await freezeHolder(cluster, 'once-a', 'once-b', ...flags)).toBeGreaterThan(0)
    })

    test('the check detects a holder that does not call stillLeader()', async () => {
      await using cluster = connect(server.access())
      expect(await freezeHolder(cluster, 'unfenced-a', 'unfenced-b', '--unfenced')).toBeGreaterThan(0)
    })
  })
})

test('GOAWAY on every fiftieth request fails no call and loses no event', async () => {
  await using server = await startRealApiServer({ flags: ['--goaway-chance=0.02'] })
  await using gate = await openTcpGate(server.port)
  await using cluster = connect(server.access('admin', gate.port))
  const reflector = cluster.reflect(resourceRefs.configMaps)
  await reflector.waitForSync()
  const names = Array.from({ length: 1_000 }, (_, i) => `goaway-${i}`)
  const queue = names.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const name of queue) {
        await cluster.client.create(resourceRefs.configMaps, configMap(name, 'x'))
        await cluster.client.get(resourceRefs.configMaps, { namespace: 'default', name })
      }
    }),
  )
  await waitUntilEqualToList(cluster, reflector)
  // 2,000 calls at a chance of 1 in 50: a GOAWAY ended far more than a handful of sessions.
  expect(gate.connections()).toBeGreaterThan(10)
})
