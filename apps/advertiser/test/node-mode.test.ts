import { resourceRefs } from '@berth/k8s-client'
import { defineResourceSource } from '@berth/plugin-api'
import type { ApiResponse, Lease } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { waitForRivals } from '../src/lease/wait-for-rivals.ts'
import { nodeOf } from '../src/node-mode/check-mode.ts'
import { checkOwnNode } from '../src/node-mode/check-own-node.ts'
import { sourceSchema } from '../src/sources/source-options.ts'
import { jsonAnswer, refused } from './api-answers.ts'
import { dongles, lead, OWNER, testCluster, type TestCluster } from './test-cluster.ts'

const name = 'example.com/dongle'
const everywhere = [{ name, units: 4, nodes: { selector: {} } }]
const NODE_A = { onlyNode: 'node-a' }

async function twoNodes(): Promise<TestCluster> {
  const cluster = await testCluster()
  await cluster.addNode('node-a')
  await cluster.addNode('node-b')
  return cluster
}

async function offers(cluster: TestCluster): Promise<readonly (string | undefined)[]> {
  const nodes = await Promise.all(['node-a', 'node-b'].map((node) => cluster.node(node)))
  return nodes.map(({ status }) => status?.allocatable?.[name]?.toString())
}

/** Waits in virtual time for a command that waits for a Lease. */
async function whileWaiting<T>(cluster: TestCluster, command: Promise<T>): Promise<T> {
  command.catch(() => undefined)
  for (let second = 0; second < 70; second++) await cluster.clock.advance(1_000)
  return await command
}

describe('a process in node mode', () => {
  test('reads and writes only its own node, and watches it', async () => {
    await using cluster = await twoNodes()
    const before = cluster.requests.length
    await cluster.start([...everywhere], [], 'node-a')
    expect(await offers(cluster)).toEqual(['4', undefined])
    const aboutNodes = cluster.requests.slice(before).filter(({ path }) => path.startsWith('/api/v1/nodes'))
    expect(aboutNodes.length).toBeGreaterThan(1)
    for (const { path } of aboutNodes)
      expect(path).toMatch(/^\/api\/v1\/nodes(\/node-a\/status\b|\?.*fieldSelector=metadata\.name%3Dnode-a\b)/)

    const drifted = { status: { capacity: { [name]: '1' }, allocatable: { [name]: '1' } } }
    for (const node of ['node-a', 'node-b']) await cluster.admin.patchNodeStatus(node, drifted, { fieldManager: 'x' })
    await cluster.clock.advance(60_000)
    expect(await offers(cluster)).toEqual(['4', '1'])
  })

  test('has the owner of the installation, so that the central mode can take over', async () => {
    await using cluster = await twoNodes()
    await cluster.run('once', everywhere, NODE_A)
    const record = (await cluster.node('node-a')).metadata.annotations?.['berth.dev/advertised-by'] ?? ''
    expect(JSON.parse(record)).toMatchObject({ owner: OWNER })
    await cluster.run('once', [dongles(2, 'node-a', 'node-b')])
    expect(await offers(cluster)).toEqual(['2', '2'])
  })

  test('does not report declarations for other nodes, and reports that its own node does not exist', async () => {
    await using cluster = await twoNodes()
    await cluster.run('once', [dongles(2, 'node-b', 'node-z')], NODE_A)
    expect(await offers(cluster)).toEqual([undefined, undefined])
    await expect(cluster.run('once', everywhere, { onlyNode: 'node-z' })).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
      message: 'advertise: nodeName: no node is named node-z',
    })
  })

  test('withdraws with prune, and takes over with adopt, only on its own node', async () => {
    await using cluster = await twoNodes()
    await cluster.run('once', everywhere)
    await cluster.run('prune', [], NODE_A)
    expect(await offers(cluster)).toEqual([undefined, '4'])
    await cluster.run('once', everywhere)
    await cluster.run('adopt', [], { ...NODE_A, owner: 'lab/berth-advertiser', from: OWNER })
    const owners = await Promise.all(
      ['node-a', 'node-b'].map(
        async (node) => (await cluster.node(node)).metadata.annotations?.['berth.dev/advertised-by'],
      ),
    )
    expect(owners).toEqual([expect.stringContaining('lab/berth-advertiser'), expect.stringContaining(OWNER)])
  })

  const reviewing = (extra: object): ApiResponse => jsonAnswer(201, { status: { userInfo: { extra } } })
  const { signal } = new AbortController()

  test('refuses another node than the one of its token', async () => {
    await using cluster = await twoNodes()
    cluster.intercept(({ path }) =>
      path.includes('selfsubjectreviews')
        ? reviewing({ 'authentication.kubernetes.io/node-name': ['node-a'] })
        : undefined,
    )
    const { client } = cluster
    await checkOwnNode('node-a', { client, signal })
    await expect(checkOwnNode('node-b', { client, signal })).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_CONFIG_FOREIGN_NODE',
      message: expect.stringContaining('the token of this process belongs to node node-a'),
    })
  })

  test('takes a token without a node, and an API server that does not say', async () => {
    await using cluster = await twoNodes()
    const { client } = cluster
    await expect(checkOwnNode('node-b', { client, signal })).resolves.toBeUndefined()
    cluster.intercept(() => refused(403, 'Forbidden'))
    await expect(checkOwnNode('node-b', { client, signal })).resolves.toBeUndefined()
  })
})

describe('the Leases of the two modes', () => {
  test('are one for all nodes, and one for each node', async () => {
    await using cluster = await twoNodes()
    await cluster.run('once', everywhere, NODE_A)
    await cluster.run('once', everywhere, { onlyNode: 'node-b' })
    const { items } = await cluster.client.list<Lease>(resourceRefs.leases, { namespace: 'berth-system' })
    expect(items.map(({ metadata }) => metadata.name ?? '').toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'berth-advertiser.node.node-a',
      'berth-advertiser.node.node-b',
    ])
  })

  test('let two processes of one node write one after the other, and those of two nodes at once', async () => {
    await using cluster = await twoNodes()
    await using _running = await lead(cluster, OWNER, 'node-a')
    await cluster.run('once', everywhere, { onlyNode: 'node-b' })
    const refused = whileWaiting(cluster, cluster.run('once', everywhere, NODE_A))
    await expect(refused).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_LEASE_HELD',
      message: expect.stringContaining('running-pod holds its Lease'),
    })
    expect(await offers(cluster)).toEqual([undefined, '4'])
  })

  test.for([
    { it: 'prune of all nodes', mode: 'prune', options: {}, running: 'node-b' },
    { it: 'a central pass', mode: 'once', options: {}, running: 'node-b' },
    { it: 'a pass of a node', mode: 'once', options: NODE_A, running: undefined },
    {
      it: 'adopt from an installation in node mode',
      mode: 'adopt',
      options: { owner: 'lab/berth-advertiser', from: OWNER },
      running: 'node-b',
    },
    {
      it: 'adopt of a node from a central installation',
      mode: 'adopt',
      options: { ...NODE_A, owner: 'lab/berth-advertiser', from: OWNER },
      running: undefined,
    },
  ] as const)('refuse $it while the other mode runs', async ({ mode, options, running }) => {
    await using cluster = await twoNodes()
    await using _running = await lead(cluster, OWNER, running)
    const refused = whileWaiting(cluster, cluster.run(mode, everywhere, options))
    await expect(refused).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_LEASE_HELD',
      message: expect.stringContaining(`running-pod${running === undefined ? '' : ' on node-b'} holds its Lease`),
    })
    expect(await offers(cluster)).toEqual([undefined, undefined])
  })

  test('let the other mode start when the last process has ended, or has not renewed for 40 s', async () => {
    await using cluster = await twoNodes()
    const { client, clock } = cluster
    const { log } = cluster.dependencies
    const { signal } = new AbortController()
    const running = await lead(cluster, OWNER, 'node-b')
    let isDone = false
    const waiting = waitForRivals(OWNER, { client, clock, log, onlyNode: undefined, signal }).then(
      () => void (isDone = true),
    )
    await clock.advance(100_000)
    expect(isDone).toBe(false)
    await running[Symbol.asyncDispose]()
    await clock.advance(1_000)
    await waiting

    const dead = { metadata: { namespace: 'berth-system', name: 'berth-advertiser.node.node-z' } }
    const spec = { holderIdentity: 'dead-pod', leaseDurationSeconds: 40 }
    await client.create<Lease>(resourceRefs.leases, { ...dead, spec })
    isDone = false
    const again = waitForRivals(OWNER, { client, clock, log, onlyNode: undefined, signal }).then(
      () => void (isDone = true),
    )
    await clock.advance(39_000)
    expect(isDone).toBe(false)
    await clock.advance(2_000)
    await again
  })

  test('are not waited for longer than this program holds one without renewal, whatever a Lease says', async () => {
    await using cluster = await twoNodes()
    const { client, clock } = cluster
    const { log } = cluster.dependencies
    const { signal } = new AbortController()
    const metadata = { namespace: 'berth-system', name: 'berth-advertiser.node.node-z' }
    const spec = { holderIdentity: 'dead-pod', leaseDurationSeconds: 2_000_000_000 }
    await client.create<Lease>(resourceRefs.leases, { metadata, spec })
    let isDone = false
    void waitForRivals(OWNER, { client, clock, log, onlyNode: undefined, signal }).then(() => void (isDone = true))
    await clock.advance(39_000)
    expect(isDone).toBe(false)
    await clock.advance(3_000)
    expect(isDone).toBe(true)
  })

  test('are not waited for without the right to read them', async () => {
    await using cluster = await twoNodes()
    const { client, clock, lines } = cluster
    const { log } = cluster.dependencies
    await using _running = await lead(cluster, OWNER, 'node-b')
    cluster.intercept(({ path }) => (/leases\b(?!\/)/.test(path) ? refused(403, 'Forbidden') : undefined))
    const { signal } = new AbortController()
    expect(await waitForRivals(OWNER, { client, clock, log, onlyNode: undefined, signal })).toEqual([])
    expect(lines.at(-1)?.message).toBe('Could not check whether processes of the other mode run')
  })
})

describe('the configuration of a mode', () => {
  test.for([
    { it: 'a node in central mode', config: { mode: 'central', nodeName: 'node-a' }, says: 'nodeName: only mode node' },
    { it: 'node mode without a node', config: { mode: 'node' }, says: 'nodeName: mode node needs' },
    {
      it: 'objects in node mode',
      config: { mode: 'node', nodeName: 'node-a', watchObjects: true },
      says: 'watchObjects: the status of an object is about all nodes',
    },
  ] as const)('is refused with the key: $it', ({ config, says }) => {
    const whole = { nodeName: undefined, watchObjects: false, ...config }
    expect(() => nodeOf(whole)).toThrow(
      expect.objectContaining({ code: 'BERTH_ADVERTISER_CONFIG_MODE', message: expect.stringContaining(says) }),
    )
  })

  const hostSource = defineResourceSource({
    apiVersion: 'berth.dev/v1',
    name: 'host-source',
    description: 'Reads the host.',
    readsHost: true,
    argsSchema: z.strictObject({}),
    create: (_, { clock }) => ({ compute: async () => ({ units: 7, observedAtMs: clock.now() }) }),
  })
  const resources = [
    dongles(1, 'node-b'),
    { name, source: sourceSchema.parse({ plugin: 'host-source' }), nodes: { selector: {} } },
  ]

  test('lets sources read the host only in node mode', async () => {
    await using cluster = await testCluster([hostSource])
    await cluster.addNode('node-a')
    expect(() => cluster.setup(resources)).toThrow(
      expect.objectContaining({
        code: 'BERTH_ADVERTISER_CONFIG_MODE',
        message: expect.stringContaining('resources[1].source.plugin: host-source reads the machine that it runs on'),
      }),
    )
    await cluster.run('once', resources, NODE_A)
    expect((await cluster.node('node-a')).status?.allocatable?.[name]).toBe('7')
  })
})
