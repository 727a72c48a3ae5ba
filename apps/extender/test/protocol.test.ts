import { plugins as chaosPlugins } from '@berth/plugin-chaos'
import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { metricDefinitions } from '../src/metrics.ts'
import { startExtenderServer } from '../src/server.ts'
import { fit, type TestExtender, post, startTestExtender } from './test-extender.ts'

const DONGLE = 'example.com/dongle'

function podAsking(requests: Readonly<Record<string, string>>, spec: Partial<Pod['spec']> = {}): Pod {
  const resources = { requests, limits: requests }
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u-1' },
    spec: { ...spec, containers: [{ name: 'main', resources }] },
  }
}

async function startFullAndFree(options: Parameters<typeof startTestExtender>[0] = {}): Promise<TestExtender> {
  const extender = await startTestExtender(options)
  await extender.createNode('full', { [DONGLE]: '4' })
  await extender.createNode('free', { [DONGLE]: '4' })
  await extender.createNode('without', {})
  await extender.createBoundPod('holder', 'full', { [DONGLE]: '4' })
  await extender.settle()
  return extender
}

describe('filter', () => {
  test('answers by names, each rejected node in the map that says whether another pod leaving helps', async () => {
    await using extender = await startFullAndFree()
    const names = ['full', 'free', 'without', 'never-heard-of']
    const answer = await post(extender.address, '/filter', {
      Pod: podAsking({ [DONGLE]: '1' }),
      Nodes: null,
      NodeNames: names,
    })
    expect(answer.status).toBe(200)
    expect(answer.json()).toEqual({
      Nodes: null,
      NodeNames: ['free'],
      FailedNodes: { full: 'Insufficient example.com/dongle' },
      FailedAndUnresolvableNodes: {
        without: 'Insufficient example.com/dongle',
        'never-heard-of': expect.any(String) as string,
      },
      Error: '',
    })
  })

  test('waits a moment for the news that kube-scheduler may have had already, where nothing fits', async () => {
    await using extender = await startFullAndFree({ secondLookMs: 50 })
    const timers = extender.clock.pendingTimers()
    const asked = post(extender.address, '/filter', { Pod: podAsking({ [DONGLE]: '1' }), NodeNames: ['full'] })
    await expect.poll(() => extender.clock.pendingTimers()).toBeGreaterThan(timers)
    await extender.deletePod('holder')
    await extender.clock.advance(10)
    expect((await asked).json()).toMatchObject({ NodeNames: ['full'], Error: '' })
  })

  test('is one string with its length on a kept connection, which costs a Go client no new connection', async () => {
    await using extender = await startFullAndFree()
    const { headers, text } = await post(extender.address, '/filter', { Pod: podAsking({}), NodeNames: ['free'] })
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(headers['transfer-encoding']).toBeUndefined()
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['keep-alive']).toBe('timeout=120')
  })

  test('never invents a node name and answers each once', async () => {
    await using extender = await startFullAndFree()
    const { json } = await post(extender.address, '/filter', { Pod: podAsking({}), NodeNames: ['free', 'free'] })
    expect(json()).toMatchObject({ NodeNames: ['free'], FailedNodes: {}, FailedAndUnresolvableNodes: {} })
    const none = await post(extender.address, '/filter', { Pod: podAsking({}) })
    expect(none.json()).toMatchObject({ NodeNames: [], FailedNodes: {}, FailedAndUnresolvableNodes: {}, Error: '' })
  })

  test('answers nodes to a caller that sent nodes, and warns once', async () => {
    await using extender = await startFullAndFree()
    const items = ['full', 'free'].map((name) => ({ metadata: { name, labels: { from: 'caller' } } }))
    const body = { Pod: podAsking({ [DONGLE]: '1' }), Nodes: { metadata: {}, items } }
    const first = await post(extender.address, '/filter', body)
    await post(extender.address, '/filter', body)
    expect(first.json()).toMatchObject({
      Nodes: { items: [items[1]] },
      NodeNames: null,
      FailedNodes: { full: expect.any(String) as string },
    })
    expect(extender.lines.filter(({ message }) => message.startsWith('A request contained whole nodes'))).toHaveLength(
      1,
    )
  })

  test('accepts keys in any case, as Go would', async () => {
    await using extender = await startFullAndFree()
    const { json } = await post(extender.address, '/filter', { pod: podAsking({}), nodenames: ['free'] })
    expect(json()).toMatchObject({ NodeNames: ['free'] })
  })

  test('a quantity that is none becomes an Error, and the server goes on', async () => {
    await using extender = await startFullAndFree()
    const broken = await post(extender.address, '/filter', { Pod: podAsking({ [DONGLE]: 'NaN' }), NodeNames: ['free'] })
    expect(broken.status).toBe(200)
    expect((broken.json() as { Error: string }).Error).not.toBe('')
    const next = await post(extender.address, '/filter', { Pod: podAsking({}), NodeNames: ['free'] })
    expect(next.json()).toMatchObject({ NodeNames: ['free'] })
  })

  test('refuses every pod before the cluster was read, and when its view is old', async () => {
    let isDown = true
    const intercept: NonNullable<Parameters<typeof startTestExtender>[0]>['intercept'] = (handle) => (request) =>
      isDown && request.path.includes('/nodes') ? Promise.reject(new Error('connect ECONNREFUSED')) : handle(request)
    await using extender = await startTestExtender({ intercept })
    const body = { Pod: podAsking({}), NodeNames: ['node-a'] }
    const before = await post(extender.address, '/filter', body)
    expect(before.json()).toMatchObject({
      Error: expect.stringMatching(/^evaluate pod: the cluster cannot be read: .*connect ECONNREFUSED/) as string,
      NodeNames: [],
    })
    isDown = false
    await extender.createNode('node-a', {})
    await extender.clock.advance(60_000)
    expect((await post(extender.address, '/filter', body)).json()).toMatchObject({ Error: '', NodeNames: ['node-a'] })
    expect(extender.evaluator.notReady()).toBeUndefined()
  })

  test('refuses what it does not implement only when told to', async () => {
    const pod = podAsking({}, { resourceClaims: [{ name: 'gpu' }] })
    await using lenient = await startFullAndFree()
    expect((await post(lenient.address, '/filter', { Pod: pod, NodeNames: ['free'] })).json()).toMatchObject({
      Error: '',
    })
    await using strict = await startFullAndFree({ refuseUnsupported: true })
    const { json } = await post(strict.address, '/filter', { Pod: pod, NodeNames: ['free'] })
    expect((json() as { Error: string }).Error).toMatch(
      /it uses what the extender does not implement: spec\.resourceClaims/,
    )
  })
})

describe('prioritize', () => {
  test('scores every name with a whole number from 0 to 10', async () => {
    await using extender = await startFullAndFree({
      plugins: [{ ...fit, args: { scoringStrategy: { type: 'LeastAllocated', resources: [{ name: DONGLE }] } } }],
    })
    const body = { Pod: podAsking({ [DONGLE]: '1' }), NodeNames: ['free', 'full', 'never-heard-of'] }
    expect((await post(extender.address, '/prioritize', body)).json()).toEqual([
      { Host: 'free', Score: 8 },
      { Host: 'full', Score: 0 },
      { Host: 'never-heard-of', Score: 0 },
    ])
  })

  test('prefers nothing when it cannot judge', async () => {
    await using extender = await startFullAndFree()
    const answer = await post(extender.address, '/prioritize', {
      Pod: podAsking({ [DONGLE]: 'NaN' }),
      NodeNames: ['free'],
    })
    expect(answer).toMatchObject({ status: 200, text: '[]' })
  })
})

test('preempt hands the victims through, as uids', async () => {
  await using extender = await startFullAndFree()
  const meta = { full: { Pods: [{ UID: 'v1' }], NumPDBViolations: 1 } }
  const byUid = await post(extender.address, '/preempt', { Pod: podAsking({}), NodeNameToMetaVictims: meta })
  expect(byUid.json()).toEqual({ NodeNameToMetaVictims: meta })
  const whole = { full: { Pods: [{ metadata: { uid: 'v1' }, spec: {} }], NumPDBViolations: 1 } }
  const byPod = await post(extender.address, '/preempt', { Pod: podAsking({}), NodeNameToVictims: whole })
  expect(byPod.json()).toEqual({ NodeNameToMetaVictims: meta })
})

describe('chaos in the extender', () => {
  const chaos = (name: string): { name: string; weight: number; args: Record<string, unknown> } => ({
    name,
    weight: 1,
    args: {},
  })

  test('a coin that shows tails rejects the node with the words of the coin', async () => {
    const draws = [0.9, 0.1]
    await using extender = await startFullAndFree({
      plugins: [chaos('chaos-coin-flip')],
      registered: chaosPlugins,
      random: () => draws.shift() ?? 0,
    })
    const { json } = await post(extender.address, '/filter', { Pod: podAsking({}), NodeNames: ['free', 'full'] })
    expect(json()).toMatchObject({
      NodeNames: ['free'],
      FailedNodes: { full: 'web cannot be scheduled to full: coin is tails' },
    })
  })

  test('dice give whole scores from 0 to 10', async () => {
    const draws = [0, 0.999, 0.5]
    await using extender = await startFullAndFree({
      plugins: [chaos('chaos-dice')],
      registered: chaosPlugins,
      random: () => draws.shift() ?? 0,
    })
    const { json } = await post(extender.address, '/prioritize', {
      Pod: podAsking({}),
      NodeNames: ['free', 'full', 'without'],
    })
    expect((json() as readonly { Score: number }[]).map(({ Score }) => Score)).toEqual([10, 0, 5])
  })
})

describe('hostile callers', () => {
  test.for([
    { it: 'no JSON', body: '{', status: 200, says: 'read request: the body is no object' },
    { it: 'a list', body: '[]', status: 200, says: 'read request: the body is no object' },
    { it: 'no pod', body: '{}', status: 200, says: 'read request: Pod is missing' },
    { it: 'a pod without metadata', body: '{"Pod":{}}', status: 200, says: 'read request: Pod.metadata is missing' },
    {
      it: 'containers that are none',
      body: '{"Pod":{"metadata":{},"spec":{"containers":[1]}}}',
      status: 200,
      says: 'Pod.spec.containers',
    },
    {
      it: 'names that are none',
      body: '{"Pod":{"metadata":{}},"NodeNames":[1]}',
      status: 200,
      says: 'NodeNames is no list of names',
    },
    {
      it: 'a list of nodes that is none',
      body: '{"Pod":{"metadata":{}},"Nodes":{"items":5}}',
      status: 200,
      says: 'Nodes is no list',
    },
    {
      it: 'a node without a name',
      body: '{"Pod":{"metadata":{}},"Nodes":{"items":[{}]}}',
      status: 200,
      says: 'a node in Nodes has no name',
    },
    {
      it: 'prototype keys',
      body: '{"__proto__":{"Pod":{}},"constructor":{}}',
      status: 200,
      says: 'read request: Pod is missing',
    },
  ])('$it is told so', async ({ body, status, says }) => {
    await using extender = await startTestExtender()
    const answer = await post(extender.address, '/filter', body)
    expect(answer.status).toBe(status)
    expect((answer.json() as { Error: string }).Error).toContain(says)
  })

  test('a body above 16 MiB, another method, path or type is turned away', async () => {
    await using extender = await startTestExtender()
    const long = await post(extender.address, '/filter', `"${'x'.repeat(17 * 1024 * 1024)}"`).catch(() => ({
      status: 413,
    }))
    expect(long.status).toBe(413)
    expect((await post(extender.address, '/filter', '', { method: 'GET' })).status).toBe(404)
    expect((await post(extender.address, '/bind', '{}')).status).toBe(404)
    expect(
      (await post(extender.address, '/filter', 'a=b', { contentType: 'application/x-www-form-urlencoded' })).status,
    ).toBe(415)
  })

  test('nothing of a pod but its name is logged', async () => {
    await using extender = await startFullAndFree()
    const pod = podAsking({ [DONGLE]: 'NaN' })
    const secret = { ...pod, metadata: { ...pod.metadata, annotations: { token: 's3cr3t' } } }
    await post(extender.address, '/filter', { Pod: secret, NodeNames: ['free'] })
    const logged = JSON.stringify(extender.lines)
    expect(logged).toContain('default/web')
    expect(logged).not.toContain('s3cr3t')
  })
})

test('an occupied port is one clear error', async () => {
  await using extender = await startTestExtender()
  const again = startExtenderServer({
    listen: extender.address,
    servingMode: { kind: 'plain' },
    evaluator: extender.evaluator,
    secondLookMs: 0,
    metrics: {} as never,
    clock: extender.clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  await expect(again).rejects.toMatchObject({
    code: 'BERTH_EXTENDER_LISTEN',
    message: `listen for kube-scheduler on ${extender.address}: the port is in use`,
  })
})

test('counts calls by verb and result', async () => {
  await using extender = await startFullAndFree()
  await post(extender.address, '/filter', { Pod: podAsking({}), NodeNames: ['free'] })
  await post(extender.address, '/filter', {})
  const text = await extender.metrics.registry.getSingleMetricAsString(metricDefinitions.calls.name)
  expect(text).toContain('berth_extender_calls_total{verb="filter",result="ok"} 1')
  expect(text).toContain('berth_extender_calls_total{verb="filter",result="bad_request"} 1')
})
