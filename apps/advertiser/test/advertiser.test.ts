import { resourceRefs } from '@berth/k8s-client'
import { defineResourceSource } from '@berth/plugin-api'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readinessChecks } from '../src/report/readiness-checks.ts'
import { reloadConfig } from '../src/config/reload-config.ts'
import { sourceSchema } from '../src/sources/source-options.ts'
import { refused } from './api-answers.ts'
import { dongles, OWNER, testCluster, type TestCluster } from './test-cluster.ts'

const name = 'example.com/dongle'

async function writeAs(cluster: TestCluster, manager: string, value: string | null): Promise<void> {
  const status = { capacity: { [name]: value }, allocatable: { [name]: value } }
  await cluster.client.patchNodeStatus('node-a', { status }, { fieldManager: manager })
}

async function readOffered(cluster: TestCluster, node = 'node-a'): Promise<string | number | undefined> {
  return (await cluster.node(node)).status?.allocatable?.[name]
}

describe('startAdvertiser', () => {
  test('writes an existing node and a node that joins later', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const advertiser = await cluster.start([dongles(4, 'node-a', 'node-b')])
    expect(advertiser.isReady()).toBe(true)
    expect(await readOffered(cluster)).toBe('4')
    const reason = `resources[0].nodes.names: no node is named node-b (${name})`
    expect(cluster.lines).toContainEqual(expect.objectContaining({ reason, level: 'warn' }))
    expect(await cluster.metric('berth_advertiser_unmatched_selections')).toMatch(/ 1$/)
    await cluster.addNode('node-b')
    await cluster.clock.settle()
    await advertiser.settled()
    expect(await readOffered(cluster, 'node-b')).toBe('4')
  })

  test('writes nothing while the desired state does not change', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.start([dongles(4, 'node-a')])
    await cluster.clock.settle()
    cluster.requests.length = 0
    await cluster.client.patch(
      resourceRefs.nodes,
      { name: 'node-a' },
      { metadata: { labels: { a: 'b' } } },
      { type: 'merge' },
    )
    await cluster.clock.advance(180_000)
    const writes = cluster.requests.slice(1).filter(({ method }) => method !== 'GET')
    expect(writes).toEqual([])
  })

  test('restores the value after a kubelet reset it to zero', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.start([dongles(4, 'node-a')])
    await writeAs(cluster, 'kubelet', '0')
    await cluster.clock.settle()
    expect(await readOffered(cluster)).toBe('4')
    expect(await cluster.metric('berth_advertiser_drift_total{')).toBe(
      `berth_advertiser_drift_total{resource_name="${name}"} 1`,
    )
    expect(cluster.events.at(-1)).toMatchObject({
      type: 'Warning',
      reason: 'ResourceDrift',
      note: `${name}: 0 -> 4 (drifted)`,
    })
  })

  test('writes a node that was deleted and created again under the same name', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.start([dongles(4, 'node-a')])
    const { uid } = (await cluster.node('node-a')).metadata
    await cluster.client.delete(resourceRefs.nodes, { name: 'node-a' })
    await cluster.clock.settle()
    expect(await cluster.metric('berth_advertiser_advertised_units{')).toMatch(/ 0$/)
    await cluster.addNode('node-a')
    await cluster.clock.settle()
    expect((await cluster.node('node-a')).metadata.uid).not.toBe(uid)
    expect(await readOffered(cluster)).toBe('4')
  })

  test('slows down and records an event when another writer keeps overwriting the value', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.start([dongles(4, 'node-a')])
    for (let round = 0; round < 2; round++) {
      await writeAs(cluster, 'rival', '9')
      await cluster.clock.settle()
      await cluster.clock.advance(1_000)
      expect(await readOffered(cluster)).toBe('4')
    }
    expect(cluster.events.at(-1)).toMatchObject({ reason: 'ResourceContested' })
    await writeAs(cluster, 'rival', '9')
    await cluster.clock.settle()
    expect(await readOffered(cluster)).toBe('9')
    await cluster.clock.advance(2_000)
    expect(await readOffered(cluster)).toBe('4')
  })

  test('paces each of two names that another writer overwrites in turn', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const names = [name, 'example.com/seat']
    await cluster.start(names.map((each) => ({ ...dongles(4, 'node-a'), name: each })))
    const before = cluster.requests.length
    for (let round = 0; round < 20; round++) {
      const status = { [names[round % 2] ?? '']: '9' }
      await cluster.client.patchNodeStatus(
        'node-a',
        { status: { capacity: status, allocatable: status } },
        { fieldManager: 'rival' },
      )
      await cluster.clock.settle()
      await cluster.clock.advance(100)
    }
    const patches = cluster.requests.slice(before).filter(({ method }) => method === 'PATCH')
    // 20 are of the rival. In two seconds, each name is written once at once and once after one second.
    expect(patches.length - 20).toBeLessThanOrEqual(4)
  })

  test('keeps a withdrawn resource while a pod holds it, and withdraws it when the pod ends', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const advertiser = await cluster.start([dongles(4, 'node-a')])
    await cluster.addPod('holder', 'node-a', { [name]: '3' })
    advertiser.reconfigure(cluster.setup([]))
    await cluster.clock.settle()
    await advertiser.settled()
    expect(await readOffered(cluster)).toBe('3')
    expect(cluster.events.map(({ reason }) => reason)).toContain('ResourceHeld')
    cluster.requests.length = 0
    await cluster.clock.advance(60_000)
    expect(cluster.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
    await cluster.clock.advance(15_000)
    expect(await readOffered(cluster)).toBeUndefined()
    expect((await cluster.node('node-a')).metadata.annotations ?? {}).toEqual({})
  })

  test('raises a resource again that a pod took while it was lowered', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const advertiser = await cluster.start([dongles(4, 'node-a')])
    let binds = 0
    cluster.intercept(({ method, path }) => {
      // The pod is bound after the advertiser has read the pods, and before its write arrives.
      if (method === 'PATCH' && path.startsWith('/api/v1/nodes/') && binds++ === 0)
        void cluster.addPod('holder', 'node-a', { [name]: '3' })
      return undefined
    })
    advertiser.reconfigure(cluster.setup([dongles(1, 'node-a')]))
    await cluster.clock.settle()
    await advertiser.settled()
    expect(await readOffered(cluster)).toBe('3')
    expect(cluster.events.map(({ reason }) => reason)).toContain('ResourceHeld')
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
    await cluster.clock.advance(15_000)
    expect(await readOffered(cluster)).toBe('1')
  })

  test('raises a resource again that a pod took while the response to its lowering was lost', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const advertiser = await cluster.start([dongles(4, 'node-a')])
    let writes = 0
    cluster.intercept(({ method, path, body }) => {
      if (method !== 'PATCH' || !path.startsWith('/api/v1/nodes/') || writes++ > 0) return undefined
      // The write takes effect.
      const patch = JSON.parse(Buffer.from(body ?? []).toString()) as object
      const { annotations } = (patch as { readonly metadata: { readonly annotations: object } }).metadata
      void cluster.admin
        .patchNodeStatus('node-a', { ...patch, metadata: { annotations } }, { fieldManager: 'berth-advertiser' })
        .then(() => cluster.addPod('holder', 'node-a', { [name]: '3' }))
      throw new Error('the connection broke')
    })
    advertiser.reconfigure(cluster.setup([dongles(1, 'node-a')]))
    await cluster.clock.settle()
    await cluster.clock.advance(5_000)
    expect(writes).toBe(1)
    expect(await readOffered(cluster)).toBe('1')
    await cluster.clock.advance(15_000)
    expect(await readOffered(cluster)).toBe('3')
  })

  test.for([
    { it: 'raises a withdrawn resource that a pod took within seconds', atMs: 10_000, checkMs: 5_000, offered: '3' },
    { it: 'raises one that a pod took within two minutes', atMs: 110_000, checkMs: 20_000, offered: '3' },
    { it: 'does not look at the pods of the node later', atMs: 140_000, checkMs: 600_000, offered: undefined },
  ])('$it', async ({ atMs, checkMs, offered }) => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const advertiser = await cluster.start([dongles(4, 'node-a')])
    advertiser.reconfigure(cluster.setup([]))
    await cluster.clock.settle()
    await advertiser.settled()
    expect(await readOffered(cluster)).toBeUndefined()
    await cluster.clock.advance(atMs)
    await cluster.addPod('holder', 'node-a', { [name]: '3' })
    await cluster.clock.advance(checkMs)
    await advertiser.settled()
    expect(await readOffered(cluster)).toBe(offered)
  })

  test('removes a listed name that a device plugin left at 0 for five minutes, and checks that it stays away', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const list = { 'vendor.io/gone': '0', 'vendor.io/other': '0' }
    const status = { capacity: list, allocatable: list }
    await cluster.client.patchNodeStatus('node-a', { status }, { fieldManager: 'kubelet' })
    await cluster.start([], ['vendor.io/gone'])
    const offered = async () => Object.keys((await cluster.node('node-a')).status?.capacity ?? {}).slice(3)
    await cluster.clock.advance(299_000)
    expect(await offered()).toEqual(['vendor.io/gone', 'vendor.io/other'])
    await cluster.clock.advance(2_000)
    expect(await offered()).toEqual(['vendor.io/other'])
    expect((await cluster.node('node-a')).metadata.annotations ?? {}).toEqual({})
    expect(cluster.events.at(-1)).toMatchObject({
      reason: 'ResourceCleared',
      note: 'vendor.io/gone: 0 -> none (left behind by a device plugin)',
    })
    await cluster.clock.advance(61_000)
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({
        resourceName: 'vendor.io/gone',
        message: 'A resource that a device plugin had left at 0 stays away',
      }),
    )
  })

  test('gives up on a name that the kubelet keeps writing', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await writeAs(cluster, 'kubelet', '0')
    await cluster.start([], [name])
    for (let attempt = 0; attempt < 4; attempt++) {
      await cluster.clock.advance(301_000)
      if ((await readOffered(cluster)) === undefined) await cluster.clock.advance(10_000)
      await writeAs(cluster, 'kubelet', '0')
    }
    await cluster.clock.advance(600_000)
    expect(await readOffered(cluster)).toBe('0')
    expect(cluster.events.filter(({ reason }) => reason === 'ResourceCleared')).toHaveLength(3)
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('Gave up removing a resource') }),
    )
  })

  test('writes nothing after it lost the Lease', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.start([dongles(4, 'node-a')])
    cluster.loseLease()
    await writeAs(cluster, 'rival', '9')
    await cluster.clock.settle()
    expect(await readOffered(cluster)).toBe('9')
  })

  test('leaves a resource to a device plugin that starts to serve it', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.start([dongles(4, 'node-a')])
    await writeAs(cluster, 'kubelet', '8')
    await cluster.clock.settle()
    expect(await readOffered(cluster)).toBe('8')
    expect(cluster.events.at(-1)).toMatchObject({
      reason: 'ResourceConflict',
      note: expect.stringContaining('for a device plugin'),
    })
    await cluster.run('prune', [])
    expect(await readOffered(cluster)).toBe('8')
    expect((await cluster.node('node-a')).metadata.annotations ?? {}).toEqual({})
  })

  test('switches to another configuration and withdraws what it no longer declares', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b')
    const advertiser = await cluster.start([dongles(4, 'node-a')])
    advertiser.reconfigure(cluster.setup([dongles(6, 'node-b')]))
    await cluster.clock.settle()
    await advertiser.settled()
    expect([await readOffered(cluster), await readOffered(cluster, 'node-b')]).toEqual([undefined, '6'])
  })

  test('collects garbage after the first list and once its nodes are reconciled, but not after later writes', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const advertiser = await cluster.start([dongles(4, 'node-a', 'node-b')])
    expect(cluster.garbageCollections()).toBe(2)
    await cluster.addNode('node-b')
    await cluster.clock.settle()
    await advertiser.settled()
    expect(await readOffered(cluster, 'node-b')).toBe('4')
    expect(cluster.garbageCollections()).toBe(2)
  })

  test('retries a refused write with increasing delays', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    let isForbidden = true
    cluster.intercept(({ method }) => (method === 'PATCH' && isForbidden ? refused(403, 'Forbidden') : undefined))
    const advertiser = await cluster.start([dongles(4, 'node-a')])
    expect(advertiser.isReady()).toBe(false)
    await cluster.clock.advance(1_000)
    const delays = cluster.lines
      .filter(({ message }) => message.startsWith('Could not reconcile'))
      .map((line) => line['delayMs'])
    expect(delays).toEqual([1_000, 2_000])
    isForbidden = false
    await cluster.clock.advance(2_000)
    expect(await readOffered(cluster)).toBe('4')
    expect(advertiser.isReady()).toBe(true)
    expect(await cluster.metric('berth_advertiser_failures_total')).toBe('berth_advertiser_failures_total 2')
  })

  test('is ready when nodes are listed, recent and reconciled', async () => {
    const standby = { stillLeader: () => false, leader: () => 'other' }
    const silent = { hasSynced: () => true, lastEventAgeMs: () => 240_000 }
    const checks = readinessChecks({ election: standby, nodes: silent, isReconciled: () => false })
    const answers = await Promise.all(checks.map(async ({ check }) => check(new AbortController().signal)))
    expect(answers).toEqual([
      'waiting for the Lease, which other holds',
      undefined,
      'no node event for 240 s',
      'some nodes have not been reconciled yet',
    ])
    const [lease, synced] = readinessChecks({
      election: { ...standby, stillLeader: () => true },
      nodes: { ...silent, hasSynced: () => false },
      isReconciled: () => true,
    })
    expect(await lease?.check(new AbortController().signal)).toBeUndefined()
    expect(await synced?.check(new AbortController().signal)).toBe('the nodes have not been listed yet')
  })
})

describe('resource sources', () => {
  const answers = new Map<string, number | bigint | Error>()
  const source = defineResourceSource({
    apiVersion: 'berth.dev/v1',
    name: 'test-source',
    description: 'Returns the amounts of the test.',
    argsSchema: z.strictObject({ plus: z.int().default(0) }),
    create: ({ plus }, { clock }) => ({
      async compute(node) {
        const answer = answers.get(node.metadata.name ?? '')
        if (answer === undefined) return new Promise<never>(() => {})
        if (answer instanceof Error) throw answer
        return { units: typeof answer === 'bigint' ? answer : answer + plus, observedAtMs: clock.now() }
      },
    }),
  })
  const entry = {
    name,
    source: sourceSchema.parse({ plugin: 'test-source', args: { plus: 1 }, maxAgeSeconds: 120 }),
    nodes: { selector: {} },
  }

  test('does not report a source before it has answered, and is ready only then', async () => {
    answers.delete('node-a')
    await using cluster = await testCluster([source])
    await cluster.addNode('node-a')
    const advertiser = await cluster.start(
      [entry, dongles(4, 'node-a')].map((each, i) => (i ? { ...each, name: 'a.b/c' } : each)),
    )
    expect((await cluster.node('node-a')).status?.allocatable?.['a.b/c']).toBe('4')
    expect(cluster.events.filter(({ type }) => type === 'Warning')).toEqual([])
    expect(advertiser.isReady()).toBe(false)
    await cluster.clock.advance(10_000)
    expect(cluster.events.at(-1)).toMatchObject({ reason: 'ResourceConflict' })
    expect(advertiser.isReady()).toBe(true)
  })

  test('writes the value of a source, follows changes, and keeps the value while the source fails', async () => {
    answers.set('node-a', 4)
    await using cluster = await testCluster([source])
    await cluster.addNode('node-a')
    await cluster.start([entry])
    expect(await readOffered(cluster)).toBe('5')
    answers.set('node-a', 6)
    await cluster.clock.advance(30_000)
    expect(await readOffered(cluster)).toBe('7')

    answers.set('node-a', new Error('the licence server is away'))
    await cluster.clock.advance(240_000)
    expect(await readOffered(cluster)).toBe('7')
    expect(cluster.events.at(-1)).toMatchObject({
      reason: 'ResourceConflict',
      note: expect.stringMatching(
        /the last value of source test-source is older than the allowed 120 s, and the latest query failed: .*licence server is away/,
      ),
    })
    // The conflict is reported once, however old the value grows.
    await cluster.clock.advance(600_000)
    expect(cluster.events.filter(({ reason }) => reason === 'ResourceConflict')).toHaveLength(1)
    expect(await cluster.metric('berth_advertiser_source_failures_total{')).toMatch(/ [1-9]\d*$/)
    expect(await cluster.metric('berth_advertiser_source_age_seconds{')).toMatch(/ 8\d\d$/)

    answers.set('node-a', 6)
    await cluster.clock.advance(60_000)
    expect(await cluster.metric('berth_advertiser_conflicts_nodes{')).toMatch(/ 0$/)
  })

  test.for([
    { it: 'no number', answer: NaN },
    { it: 'a negative count', answer: -2 },
    { it: 'more than int64', answer: 2n ** 63n },
  ])('writes nothing when a source returns $it', async ({ answer }) => {
    answers.set('node-a', answer)
    await using cluster = await testCluster([source])
    await cluster.addNode('node-a')
    await cluster.start([entry])
    expect(await readOffered(cluster)).toBeUndefined()
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ code: 'BERTH_ADVERTISER_SOURCE_ANSWER' }) }),
    )
  })

  test('keeps nothing of a reading without a time, and names plugin, node, value and expectation', async () => {
    const timeless = defineResourceSource({
      apiVersion: 'berth.dev/v1',
      name: 'test-source',
      description: 'Returns no time.',
      argsSchema: z.strictObject({ plus: z.int() }),
      create: () => ({ compute: () => Promise.resolve({ units: 4 } as never) }),
    })
    await using cluster = await testCluster([timeless])
    await cluster.addNode('node-a')
    await cluster.start([entry])
    expect(await readOffered(cluster)).toBeUndefined()
    const message =
      'run compute of plugin test-source: compute returned undefined as the time of observation (observedAtMs) for node node-a, expected milliseconds since the epoch, such as Date.now()'
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({ plugin: 'test-source', err: expect.objectContaining({ message }) }),
    )
  })

  test('abandons a query that takes longer than ten seconds', async () => {
    answers.delete('node-a')
    await using cluster = await testCluster([source])
    await cluster.addNode('node-a')
    await cluster.start([entry])
    await cluster.clock.advance(10_000)
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ code: 'BERTH_PLUGIN_DEADLINE' }) }),
    )
    expect(await readOffered(cluster)).toBeUndefined()
  })

  test('queries a source for at most eight nodes at a time', async () => {
    let asked = 0
    let most = 0
    const slow = defineResourceSource({
      apiVersion: 'berth.dev/v1',
      name: 'test-source',
      description: 'Answers slowly.',
      argsSchema: z.looseObject({}),
      create: (_, { clock }) => ({
        async compute() {
          most = Math.max(most, ++asked)
          await new Promise<void>((resolve) => void clock.setTimer(100, resolve))
          asked--
          return { units: 1, observedAtMs: clock.now() }
        },
      }),
    })
    await using cluster = await testCluster([slow])
    for (let node = 0; node < 20; node++) await cluster.addNode(`node-${node}`)
    const advertiser = await cluster.start([entry])
    await cluster.clock.advance(300)
    await advertiser.settled()
    expect([await readOffered(cluster, 'node-0'), await readOffered(cluster, 'node-19'), most]).toEqual(['1', '1', 8])
  })

  test('refuses a configuration with an unknown plugin or invalid arguments', async () => {
    await using cluster = await testCluster([source])
    const other = (change: object) => [{ ...entry, source: { ...entry.source, ...change } }]
    expect(() => cluster.setup(other({ plugin: 'tset-source' }))).toThrow(
      expect.objectContaining({ code: 'BERTH_PLUGIN_UNKNOWN' }),
    )
    const seats = { name: 'example.com/seat', units: 1, nodes: { selector: {} } }
    expect(() => cluster.setup([seats, ...other({ args: { minus: 1 } })])).toThrow(
      expect.objectContaining({
        code: 'BERTH_PLUGIN_ARGS',
        message: expect.stringMatching(/^read resources\[1\] \(example\.com\/dongle\): .*args\.minus: no such key/),
      }),
    )
  })
})

describe('reloadConfig', () => {
  const yaml = (units: number | string) =>
    `resources:\n  - name: ${name}\n    units: ${units}\n    nodes: {names: [node-a]}\n`

  test('applies a valid file and keeps the previous configuration when the new one is invalid', async () => {
    await using cluster = await testCluster()
    const applied: number[] = []
    const owners = new Set<string>()
    const reload = (text: string) =>
      reloadConfig({
        ...cluster.dependencies,
        argv: ['--config', 'x.yaml'],
        env: {},
        readFile: () => text,
        onlyNode: undefined,
        owner: OWNER,
        replace({ desired }) {
          applied.push(desired.declarations.length)
          owners.add(desired.owner)
        },
      })
    reload(yaml(4))
    expect(applied).toEqual([1])
    // The process holds the Lease of its installation, also when the file names another one.
    reload(`owner: lab/berth-advertiser\n${yaml(4)}`)
    expect([...owners]).toEqual([OWNER])
    applied.pop()
    reload(yaml('4.5'))
    reload('resources: [')
    reload(`${yaml(4)}    source: {plugin: none}\n`.replace('    units: 4\n', ''))
    expect(applied).toEqual([1])
    const refusals = cluster.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
    expect(refusals).toEqual(Array.from({ length: 3 }, () => 'Kept the previous configuration: the new one is invalid'))
    expect(await cluster.metric('berth_advertiser_config_reloads_total{result="refused"}')).toMatch(/ 3$/)
  })
})
