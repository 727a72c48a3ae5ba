import { setTimeout as sleep } from 'node:timers/promises'
import { plugins as chaosPlugins } from '@berth/plugin-chaos'
import { expect, test } from 'vitest'
import { type Lab, startLab } from './lab.ts'
import { startScriptedExtender } from './scripted-extender.ts'

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

/** Real sockets need real time: looks again every few milliseconds, for half a minute. */
async function eventually<T>(lab: Lab, read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    await lab.settle()
    const value = await read()
    if (isDone(value) || tries > 6_000) return value
    await sleep(5)
  }
}

const nodeOf = (lab: Lab, name: string) => async (): Promise<string | undefined> => (await lab.pod(name)).spec.nodeName
const isSet = (value: string | undefined): boolean => value !== undefined

test('binds only where the extender lets it, and asks by names on one kept connection', async () => {
  await using extender = await startScriptedExtender(() => ({
    NodeNames: ['node-b'],
    FailedNodes: { 'node-a': 'no license' },
  }))
  await using lab = await startLab({ config: configFor(extender.url, 'filterVerb: filter') })
  for (const name of ['node-a', 'node-b']) await lab.createNode(name, {})
  for (const name of ['one', 'two', 'three']) {
    await lab.createPod(name)
    expect(await eventually(lab, nodeOf(lab, name), isSet)).toBe('node-b')
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
  await using lab = await startLab({ config })
  for (const name of ['node-a', 'node-b']) await lab.createNode(name, {})
  await lab.createPod('web')
  expect(await eventually(lab, nodeOf(lab, 'web'), isSet)).toBe('node-b')
})

test('the reason of an extender stands in event and condition, and any change of a node wakes the pod', async () => {
  let allowed: readonly string[] = []
  await using extender = await startScriptedExtender(({ body }) => {
    const asked = body['NodeNames'] as readonly string[]
    const failed = asked.filter((name) => !allowed.includes(name))
    return {
      NodeNames: asked.filter((name) => allowed.includes(name)),
      FailedNodes: Object.fromEntries(failed.map((name) => [name, 'license server is full'])),
    }
  })
  await using lab = await startLab({ config: configFor(extender.url, 'filterVerb: filter') })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createNode('node-b', {})
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  const read = async (): Promise<string | undefined> => (await lab.pod('web')).status?.conditions?.[0]?.message
  expect(await eventually(lab, read, isSet)).toBe(
    '0/2 nodes are available: 1 Insufficient example.com/dongle, 1 license server is full. ' +
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '1 Preemption is not helpful for scheduling.',
  )
  allowed = ['node-a']
  await lab.createNode('node-c', {})
  await lab.clock.advance(100)
  expect(await eventually(lab, nodeOf(lab, 'web'), isSet)).toBe('node-a')
})

test('the scores of an extender decide, scaled by its weight', async () => {
  await using extender = await startScriptedExtender(() => [
    { Host: 'node-a', Score: 0 },
    { Host: 'node-b', Score: 10 },
    { Host: 'elsewhere', Score: 10 },
  ])
  await using lab = await startLab({ config: configFor(extender.url, 'prioritizeVerb: prioritize\n    weight: 50') })
  for (const name of ['node-a', 'node-b']) await lab.createNode(name, {})
  await lab.createPod('web')
  expect(await eventually(lab, nodeOf(lab, 'web'), isSet)).toBe('node-b')
})

test('an extender that binds is believed only when the pod is bound', async () => {
  let lab: Lab | undefined
  let lies = 0
  await using extender = await startScriptedExtender(({ body }) => {
    lies += 1
    if (lies === 1) return { Error: '' }
    const { PodName, PodNamespace, PodUID, Node } = body as Record<string, string>
    const pod = {
      metadata: { name: PodName ?? '', namespace: PodNamespace ?? '', uid: PodUID ?? '' },
      spec: { containers: [] },
    }
    void lab?.admin.client.bind(pod, Node ?? '')
    return { Error: '' }
  })
  await using running = await startLab({ config: configFor(extender.url, 'bindVerb: bind') })
  lab = running
  await lab.createNode('node-a', {})
  await lab.createPod('web')
  await eventually(
    lab,
    async () => lab?.scheduler.counts().backoff ?? 0,
    (backoff) => backoff === 1,
  )
  expect((await lab.pod('web')).spec.nodeName).toBeUndefined()
  await lab.clock.advance(1_500)
  expect(await eventually(lab, nodeOf(lab, 'web'), isSet)).toBe('node-a')
})

test('an extender that is asked to bind and does not answer may do so late: its pod keeps its room', async () => {
  await using extender = await startScriptedExtender(() => undefined)
  const fields = `bindVerb: bind\n    httpTimeout: 100ms\n    managedResources: [{ name: ${DONGLE} }]`
  await using lab = await startLab({ config: configFor(extender.url, fields) })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  const late = await lab.createPod('late', { requests: { [DONGLE]: '1' } })
  await eventually(
    lab,
    async () => extender.calls.length,
    (calls) => calls === 1,
  )
  await sleep(200)
  await lab.createPod('other', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(50_000)
  expect(await lab.admin.client.bind(late, 'node-a')).toEqual({ kind: 'bound' })
  await lab.clock.advance(30_000)
  expect(extender.calls).toHaveLength(1)
  expect(lab.scheduler.counts()).toMatchObject({ inFlight: 0, unschedulable: 1 })
})

test.for([
  { it: 'answers 500', answer: 500 },
  { it: 'refuses', answer: { Error: 'no license' } },
])('an extender that is asked to bind and $it has said all: the pod is tried again soon', async ({ answer }) => {
  await using extender = await startScriptedExtender(() => answer)
  await using lab = await startLab({ config: configFor(extender.url, 'bindVerb: bind') })
  await lab.createNode('node-a', {})
  await lab.createPod('web')
  const backoff = async (): Promise<number> => lab.scheduler.counts().backoff
  expect(await eventually(lab, backoff, (count) => count === 1)).toBe(1)
  expect(lab.view.stats().assumed).toBe(0)
})

test.for([
  {
    it: 'is down',
    answer: undefined,
    says: /^failed filter with extender at URL http:\/\/127\.0\.0\.1:1\/filter: connect ECONNREFUSED/,
  },
  {
    it: 'answers 500',
    answer: 500,
    says: /^failed filter with extender at URL http:\/\/127\.0\.0\.1:\d+\/filter: code 500$/,
  },
  { it: 'answers no JSON', answer: '<html>', says: /^read answer of extender/ },
  { it: 'answers nothing', answer: '', says: /: EOF$/ },
  {
    it: 'answers with an error text',
    answer: { Error: 'license server unreachable' },
    says: /^license server unreachable$/,
  },
  {
    it: 'claims a node that it was not asked about',
    answer: { NodeNames: ['node-z'] },
    says: /it claims a filtered node "node-z" which is not found in the input node list$/,
  },
])('an extender that $it holds the pod back, unless it is ignorable', async ({ answer, says }) => {
  await using extender = await startScriptedExtender(() => answer)
  const url = answer === undefined ? 'http://127.0.0.1:1' : extender.url
  await using strict = await startLab({ config: configFor(url, 'filterVerb: filter') })
  await using lenient = await startLab({ config: configFor(url, 'filterVerb: filter\n    ignorable: true') })
  for (const lab of [strict, lenient]) {
    await lab.createNode('node-a', {})
    await lab.createPod('web')
  }
  expect(await eventually(lenient, nodeOf(lenient, 'web'), isSet)).toBe('node-a')
  const read = async (): Promise<string | undefined> => (await strict.pod('web')).status?.conditions?.[0]?.message
  const message = await eventually(strict, read, isSet)
  expect(message).toMatch(says)
  expect((await strict.pod('web')).status?.conditions?.[0]?.reason).toBe('SchedulerError')
  expect((await strict.pod('web')).spec.nodeName).toBeUndefined()
})

test('an extender that does not answer is given up after httpTimeout', async () => {
  await using extender = await startScriptedExtender(() => undefined)
  await using lab = await startLab({ config: configFor(extender.url, 'filterVerb: filter\n    httpTimeout: 50ms') })
  await lab.createNode('node-a', {})
  await lab.createPod('web')
  const read = async (): Promise<string | undefined> => (await lab.pod('web')).status?.conditions?.[0]?.message
  expect(await eventually(lab, read, isSet)).toBe(
    `failed filter with extender at URL ${extender.url}/filter: no answer within 50 ms`,
  )
})

test('a pod that asks for nothing that the extender manages is not sent to it', async () => {
  await using extender = await startScriptedExtender(() => 500)
  const fields = `filterVerb: filter\n    managedResources: [{ name: ${DONGLE} }]`
  await using lab = await startLab({ config: configFor(extender.url, fields) })
  await lab.createNode('node-a', {})
  await lab.createPod('plain')
  expect(await eventually(lab, nodeOf(lab, 'plain'), isSet)).toBe('node-a')
  expect(extender.calls).toHaveLength(0)
})

test('a resource that an extender looks after is not checked by the fit plugin', async () => {
  await using extender = await startScriptedExtender(() => ({ NodeNames: ['node-a'] }))
  const fields = `filterVerb: filter\n    managedResources: [{ name: ${DONGLE}, ignoredByScheduler: true }]`
  await using lab = await startLab({ config: configFor(extender.url, fields) })
  await lab.createNode('node-a', {})
  await lab.createPod('web', { requests: { [DONGLE]: '5' } })
  expect(await eventually(lab, nodeOf(lab, 'web'), isSet)).toBe('node-a')
  expect(extender.calls).toHaveLength(1)
})

test('chaos in the scheduler: tails keeps the pod pending with the words of the coin, and it is tried again', async () => {
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
  await using lab = await startLab({ config, plugins: chaosPlugins, random: () => draw })
  await lab.createNode('node-a', {})
  await lab.createPod('web')
  await lab.clock.advance(1_000)
  expect((await lab.pod('web')).status?.conditions?.[0]?.message).toBe(
    '0/1 nodes are available: 1 web cannot be scheduled to node-a: coin is tails. ' +
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  )
  draw = 0.1
  await lab.createNode('node-b', {})
  await lab.clock.advance(1_000)
  expect((await lab.pod('web')).spec.nodeName).toMatch(/^node-[ab]$/)
})
