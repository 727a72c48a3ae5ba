import { resourceRefs } from '@berth/k8s-client'
import type { BerthPlugin } from '@berth/plugin-api'
import { builtInPolicies } from '@berth/built-in-plugins'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type TestCluster, startTestCluster } from './test-cluster.ts'
import { eventually, startScriptedExtender } from './scripted-extender.ts'

const DONGLE = 'example.com/dongle'

function configFor(url: string, fields: string): string {
  return `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler }]
extenders:
  - urlPrefix: ${url}
    nodeCacheCapable: true
    ${fields}
`
}

const nodeOf = (cluster: TestCluster, name: string) => async (): Promise<string | undefined> =>
  (await cluster.pod(name)).spec.nodeName
const isSet = (value: string | undefined): boolean => value !== undefined

test('binds only where the extender allows it, and sends node names on one keep-alive connection', async () => {
  await using extender = await startScriptedExtender(() => ({
    NodeNames: ['node-b'],
    FailedNodes: { 'node-a': 'no license' },
  }))
  await using cluster = await startTestCluster({ config: configFor(extender.url, 'filterVerb: filter') })
  for (const name of ['node-a', 'node-b']) await cluster.createNode(name, {})
  for (const name of ['one', 'two', 'three']) {
    await cluster.createPod(name)
    expect(await eventually(cluster, nodeOf(cluster, name), isSet)).toBe('node-b')
  }
  expect(extender.calls).toHaveLength(3)
  expect(extender.calls[0]).toMatchObject({ verb: 'filter', body: { NodeNames: ['node-a', 'node-b'], Nodes: null } })
  expect(extender.connections()).toBe(1)
})

test('sends whole nodes to an extender that is not nodeCacheCapable', async () => {
  await using extender = await startScriptedExtender(({ body }) => {
    const { items } = body['Nodes'] as { items: readonly { metadata: { name: string } }[] }
    return { Nodes: { items: items.filter(({ metadata }) => metadata.name === 'node-b') } }
  })
  const config = configFor(extender.url, 'filterVerb: filter').replace(
    'nodeCacheCapable: true',
    'nodeCacheCapable: false',
  )
  await using cluster = await startTestCluster({ config })
  for (const name of ['node-a', 'node-b']) await cluster.createNode(name, {})
  await cluster.createPod('web')
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-b')
})

test('reports the reason of an extender in the event and the condition, and requeues the pod on any node change', async () => {
  let allowed: readonly string[] = []
  await using extender = await startScriptedExtender(({ body }) => {
    const asked = body['NodeNames'] as readonly string[]
    const failed = asked.filter((name) => !allowed.includes(name))
    return {
      NodeNames: asked.filter((name) => allowed.includes(name)),
      FailedNodes: Object.fromEntries(failed.map((name) => [name, 'license server is full'])),
    }
  })
  await using cluster = await startTestCluster({ config: configFor(extender.url, 'filterVerb: filter') })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createNode('node-b', {})
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  const read = async (): Promise<string | undefined> => (await cluster.pod('web')).status?.conditions?.[0]?.message
  expect(await eventually(cluster, read, isSet)).toBe(
    '0/2 nodes are available: 1 Insufficient example.com/dongle, 1 license server is full. ' +
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '1 Preemption is not helpful for scheduling.',
  )
  allowed = ['node-a']
  await cluster.createNode('node-c', {})
  await cluster.clock.advance(100)
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-a')
})

test('retries a pod that an extender rejected when an annotation of a CSIStorageCapacity changes, which is its retry signal', async () => {
  let isAllowed = false
  await using extender = await startScriptedExtender(() =>
    isAllowed ? { NodeNames: ['node-a'] } : { NodeNames: [], FailedNodes: { 'node-a': 'license server is full' } },
  )
  await using cluster = await startTestCluster({ config: configFor(extender.url, 'filterVerb: filter') })
  const { client } = cluster.admin
  const target = { namespace: 'default', name: 'signal' }
  await client.create(resourceRefs.csiStorageCapacities, { metadata: target, storageClassName: 'none' })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await eventually(
    cluster,
    () => cluster.events('web'),
    (events) => events.length > 0,
  )
  isAllowed = true
  const signal = { metadata: { annotations: { 'berth.dev/retry': 'now' } } }
  await client.patch(resourceRefs.csiStorageCapacities, target, signal, { type: 'merge' })
  await cluster.settle()
  await cluster.clock.advance(2_000)
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-a')
})

test('keeps the rejections by an extender when the nodes that it accepted are filled during the call', async () => {
  const answer = Promise.withResolvers<void>()
  let isFull = true
  await using extender = await startScriptedExtender(async () => {
    await answer.promise
    return isFull
      ? { NodeNames: ['node-b'], FailedNodes: { 'node-a': 'license server is full' } }
      : { NodeNames: ['node-a'] }
  })
  await using cluster = await startTestCluster({ config: configFor(extender.url, 'filterVerb: filter') })
  for (const name of ['node-a', 'node-b']) await cluster.createNode(name, { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await eventually(cluster, async () => extender.calls.length, Boolean)
  await cluster.createPod('filler', { requests: { [DONGLE]: '1' }, spec: { nodeName: 'node-b' } })
  await cluster.settle()
  answer.resolve()
  const read = async (): Promise<string | undefined> => (await cluster.pod('web')).status?.conditions?.[0]?.message
  expect(await eventually(cluster, read, isSet)).toMatch(
    /^0\/2 nodes are available: 1 Insufficient example.com\/dongle, 1 license server is full\./,
  )
  isFull = false
  const labels = { 'example.com/license': 'free' }
  await cluster.admin.client.patch(resourceRefs.nodes, { name: 'node-a' }, { metadata: { labels } }, { type: 'merge' })
  await cluster.clock.advance(2_000)
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-a')
})

test('schedules other pods while an extender does not respond, and calls it for one pod at a time', async () => {
  await using extender = await startScriptedExtender(() => undefined)
  const fields = `filterVerb: filter\n    httpTimeout: 20s\n    managedResources: [{ name: ${DONGLE} }]`
  await using cluster = await startTestCluster({ config: configFor(extender.url, fields) })
  await cluster.createNode('node-a', { [DONGLE]: '9' })
  for (const name of ['one', 'two', 'three']) await cluster.createPod(name, { requests: { [DONGLE]: '1' } })
  await eventually(cluster, async () => extender.calls.length, Boolean)
  await cluster.createPod('plain')
  await cluster.settle()
  expect((await cluster.pod('plain')).spec.nodeName).toBe('node-a')
  expect(extender.calls).toHaveLength(1)
  expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 1, active: 2 })
})

test('calls an extender for the next pod after the attempt of a pod that is being deleted', async () => {
  await using extender = await startScriptedExtender(({ body }) => ({ NodeNames: body['NodeNames'] }))
  await using cluster = await startTestCluster({ config: configFor(extender.url, 'filterVerb: filter') })
  await cluster.createPod('doomed')
  await cluster.settle()
  const metadata = { finalizers: ['batch.kubernetes.io/job-tracking'] }
  const doomed = { namespace: 'default', name: 'doomed' }
  await cluster.admin.client.patch(resourceRefs.pods, doomed, { metadata }, { type: 'merge' })
  await cluster.deletePod('doomed')
  await cluster.createNode('node-a', {})
  await cluster.clock.advance(20_000)
  expect((await cluster.events('doomed')).join()).toContain('skip schedule deleting pod')
  await cluster.createPod('next')
  await cluster.settle()
  expect(cluster.scheduler.counts()).toMatchObject({ active: 0 })
  expect(await eventually(cluster, nodeOf(cluster, 'next'), isSet)).toBe('node-a')
})

test('takes no room for a pod that is deleted during a call to an extender', async () => {
  const answered = Promise.withResolvers<undefined>()
  await using extender = await startScriptedExtender(async ({ body }) => {
    await answered.promise
    return { NodeNames: body['NodeNames'] }
  })
  const gang: BerthPlugin = {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name: 'gang',
    description: 'Delays one pod.',
    argsSchema: z.strictObject({}),
    create: () => ({
      permit: ({ metadata }) => (metadata.name === 'deleted' ? { kind: 'wait', timeoutMs: 900_000 } : undefined),
    }),
  }
  const config = configFor(extender.url, 'filterVerb: filter').replace(
    'schedulerName: berth-scheduler',
    'schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: gang }] } }',
  )
  await using cluster = await startTestCluster({ config, plugins: [gang] })
  await cluster.createNode('node-a', { cpu: '1' })
  await cluster.createPod('deleted', { requests: { cpu: '1' } })
  await eventually(
    cluster,
    async () => extender.calls.length,
    (count) => count === 1,
  )
  await cluster.deletePod('deleted')
  await cluster.settle()
  answered.resolve(undefined)
  await cluster.createPod('next', { requests: { cpu: '1' } })
  expect(await eventually(cluster, nodeOf(cluster, 'next'), isSet)).toBe('node-a')
  expect(cluster.scheduler.waitingPods.size).toBe(0)
})

test('adds the scores of an extender, scaled by its weight', async () => {
  await using extender = await startScriptedExtender(() => [
    { Host: 'node-a', Score: 0 },
    { Host: 'node-b', Score: 10 },
    { Host: 'elsewhere', Score: 10 },
  ])
  await using cluster = await startTestCluster({
    config: configFor(extender.url, 'prioritizeVerb: prioritize\n    weight: 50'),
  })
  for (const name of ['node-a', 'node-b']) await cluster.createNode(name, {})
  await cluster.createPod('web')
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-b')
})

test('confirms with the API server that an extender bound the pod', async () => {
  let cluster: TestCluster | undefined
  let lies = 0
  await using extender = await startScriptedExtender(({ body }) => {
    lies += 1
    if (lies === 1) return { Error: '' }
    const { PodName, PodNamespace, PodUID, Node } = body as Record<string, string>
    const pod = {
      metadata: { name: PodName ?? '', namespace: PodNamespace ?? '', uid: PodUID ?? '' },
      spec: { containers: [] },
    }
    void cluster?.admin.client.bind(pod, Node ?? '')
    return { Error: '' }
  })
  await using running = await startTestCluster({ config: configFor(extender.url, 'bindVerb: bind') })
  cluster = running
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await eventually(
    cluster,
    async () => cluster?.scheduler.counts().backoff ?? 0,
    (backoff) => backoff === 1,
  )
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
  await cluster.clock.advance(1_500)
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-a')
})

test('keeps the room of a pod whose extender does not respond to the bind call and binds late', async () => {
  await using extender = await startScriptedExtender(() => undefined)
  const fields = `bindVerb: bind\n    httpTimeout: 100ms\n    managedResources: [{ name: ${DONGLE} }]`
  await using cluster = await startTestCluster({ config: configFor(extender.url, fields) })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  const late = await cluster.createPod('late', { requests: { [DONGLE]: '1' } })
  const abandoned = async (): Promise<number> => extender.abandoned()
  expect(await eventually(cluster, abandoned, (count) => count === 1)).toBe(1)
  await cluster.settle()
  await cluster.createPod('other', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(50_000)
  expect(await cluster.admin.client.bind(late, 'node-a')).toEqual({ kind: 'bound' })
  await cluster.clock.advance(30_000)
  expect(extender.calls).toHaveLength(1)
  expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 0, unschedulable: 1 })
})

test('does not call an extender to bind once another replica may schedule', async () => {
  let isLeader = true
  await using extender = await startScriptedExtender(({ verb }) => {
    isLeader = false
    return verb === 'filter' ? { NodeNames: ['node-a'] } : { Error: '' }
  })
  const config = configFor(extender.url, 'filterVerb: filter\n    bindVerb: bind')
  await using cluster = await startTestCluster({ config, mayWrite: () => isLeader })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  const backoff = async (): Promise<number> => cluster.scheduler.counts().backoff
  expect(await eventually(cluster, backoff, (count) => count === 1)).toBe(1)
  expect(extender.calls.map(({ verb }) => verb)).toEqual(['filter'])
})

test.for([
  { it: 'responds with 500', answer: 500 },
  { it: 'responds with an error', answer: { Error: 'no license' } },
])('retries soon when an extender that is called to bind $it', async ({ answer }) => {
  await using extender = await startScriptedExtender(() => answer)
  await using cluster = await startTestCluster({ config: configFor(extender.url, 'bindVerb: bind') })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  const backoff = async (): Promise<number> => cluster.scheduler.counts().backoff
  expect(await eventually(cluster, backoff, (count) => count === 1)).toBe(1)
  expect(cluster.view.stats().assumed).toBe(0)
})

test.for([
  {
    it: 'is down',
    answer: undefined,
    says: /^failed filter with extender at URL http:\/\/127\.0\.0\.1:1\/filter: connect ECONNREFUSED/,
  },
  {
    it: 'responds with 500',
    answer: 500,
    says: /^failed filter with extender at URL http:\/\/127\.0\.0\.1:\d+\/filter: code 500$/,
  },
  { it: 'responds with invalid JSON', answer: '<html>', says: /^read answer of extender/ },
  { it: 'responds with an empty body', answer: '', says: /: EOF$/ },
  {
    it: 'responds with an error message',
    answer: { Error: 'license server unreachable' },
    says: /^license server unreachable$/,
  },
  {
    it: 'names a node that was not in the request',
    answer: { NodeNames: ['node-z'] },
    says: /it claims a filtered node "node-z" which is not found in the input node list$/,
  },
])('keeps the pod pending, unless the extender is ignorable, when it $it', async ({ answer, says }) => {
  await using extender = await startScriptedExtender(() => answer)
  const url = answer === undefined ? 'http://127.0.0.1:1' : extender.url
  await using strict = await startTestCluster({ config: configFor(url, 'filterVerb: filter') })
  await using lenient = await startTestCluster({ config: configFor(url, 'filterVerb: filter\n    ignorable: true') })
  for (const cluster of [strict, lenient]) {
    await cluster.createNode('node-a', {})
    await cluster.createPod('web')
  }
  expect(await eventually(lenient, nodeOf(lenient, 'web'), isSet)).toBe('node-a')
  const read = async (): Promise<string | undefined> => (await strict.pod('web')).status?.conditions?.[0]?.message
  const message = await eventually(strict, read, isSet)
  expect(message).toMatch(says)
  expect((await strict.pod('web')).status?.conditions?.[0]?.reason).toBe('SchedulerError')
  expect((await strict.pod('web')).spec.nodeName).toBeUndefined()
})

test('cancels a call to an extender after httpTimeout', async () => {
  await using extender = await startScriptedExtender(() => undefined)
  await using cluster = await startTestCluster({
    config: configFor(extender.url, 'filterVerb: filter\n    httpTimeout: 50ms'),
  })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  const read = async (): Promise<string | undefined> => (await cluster.pod('web')).status?.conditions?.[0]?.message
  expect(await eventually(cluster, read, isSet)).toBe(
    `failed filter with extender at URL ${extender.url}/filter: no answer within 50 ms`,
  )
})

test('does not call an extender for a pod that requests none of its managed resources', async () => {
  await using extender = await startScriptedExtender(() => 500)
  const fields = `filterVerb: filter\n    managedResources: [{ name: ${DONGLE} }]`
  await using cluster = await startTestCluster({ config: configFor(extender.url, fields) })
  await cluster.createNode('node-a', {})
  await cluster.createPod('plain')
  expect(await eventually(cluster, nodeOf(cluster, 'plain'), isSet)).toBe('node-a')
  expect(extender.calls).toHaveLength(0)
})

test('does not check a resource in the fit plugin that an extender manages with ignoredByScheduler', async () => {
  await using extender = await startScriptedExtender(() => ({ NodeNames: ['node-a'] }))
  const fields = `filterVerb: filter\n    managedResources: [{ name: ${DONGLE}, ignoredByScheduler: true }]`
  await using cluster = await startTestCluster({ config: configFor(extender.url, fields) })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web', { requests: { [DONGLE]: '5' } })
  expect(await eventually(cluster, nodeOf(cluster, 'web'), isSet)).toBe('node-a')
  expect(extender.calls).toHaveLength(1)
})

test('keeps a pod pending with the reason of the coin-flip plugin, and retries it', async () => {
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: berth-scheduler
    plugins:
      filter: { enabled: [{ name: chaos-coin-flip }] }
      score: { enabled: [{ name: chaos-dice, weight: 3 }] }
`
  let draw = 0.9
  await using cluster = await startTestCluster({ config, plugins: builtInPolicies, random: () => draw })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.clock.advance(1_000)
  expect((await cluster.pod('web')).status?.conditions?.[0]?.message).toBe(
    '0/1 nodes are available: 1 web cannot be scheduled to node-a: coin is tails. ' +
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  )
  draw = 0.1
  await cluster.createNode('node-b', {})
  await cluster.clock.advance(1_000)
  expect((await cluster.pod('web')).spec.nodeName).toMatch(/^node-[ab]$/)
})
