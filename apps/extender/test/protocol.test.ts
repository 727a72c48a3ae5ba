import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { builtInPolicies } from '@berth/built-in-plugins'
import type { Pod, PodSpec } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { metricDefinitions } from '../src/metrics.ts'
import { createBodyDiscarder } from '../src/serving/discard-body.ts'
import { startExtenderServer } from '../src/server.ts'
import { fit, type TestExtender, post, startTestExtender } from './test-extender.ts'

const DONGLE = 'example.com/dongle'

function podRequesting(requests: Readonly<Record<string, string>>, spec: Partial<Pod['spec']> = {}): Pod {
  const resources = { requests, limits: requests }
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u-1' },
    spec: { ...spec, containers: [{ name: 'main', resources }] },
  }
}

async function startWithFullAndFreeNode(options: Parameters<typeof startTestExtender>[0] = {}): Promise<TestExtender> {
  const extender = await startTestExtender(options)
  await extender.createNode('full', { [DONGLE]: '4' })
  await extender.createNode('free', { [DONGLE]: '4' })
  await extender.createNode('without', {})
  await extender.createBoundPod('holder', 'full', { [DONGLE]: '4' })
  await extender.settle()
  return extender
}

describe('filter', () => {
  test('returns node names, and each rejected node in the map that says whether removing a pod may help', async () => {
    await using extender = await startWithFullAndFreeNode()
    const names = ['full', 'free', 'without', 'unknown-node']
    const answer = await post(extender.address, '/filter', {
      Pod: podRequesting({ [DONGLE]: '1' }),
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
        'unknown-node': expect.any(String) as string,
      },
      Error: '',
    })
  })

  test('delays a response without a feasible node until the cluster view catches up with kube-scheduler', async () => {
    await using extender = await startWithFullAndFreeNode({ secondLookMs: 50 })
    const timers = extender.clock.pendingTimers()
    const asked = post(extender.address, '/filter', { Pod: podRequesting({ [DONGLE]: '1' }), NodeNames: ['full'] })
    await expect.poll(() => extender.clock.pendingTimers()).toBeGreaterThan(timers)
    await extender.deletePod('holder')
    await extender.clock.advance(10)
    expect((await asked).json()).toMatchObject({ NodeNames: ['full'], Error: '' })
  })

  test('sends one string with a Content-Length on a kept-alive connection, so that Go clients reuse the connection', async () => {
    await using extender = await startWithFullAndFreeNode()
    const { headers, text } = await post(extender.address, '/filter', { Pod: podRequesting({}), NodeNames: ['free'] })
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(headers['transfer-encoding']).toBeUndefined()
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['keep-alive']).toBe('timeout=120')
  })

  test('returns each requested node once and no other node', async () => {
    await using extender = await startWithFullAndFreeNode()
    const { json } = await post(extender.address, '/filter', { Pod: podRequesting({}), NodeNames: ['free', 'free'] })
    expect(json()).toMatchObject({ NodeNames: ['free'], FailedNodes: {}, FailedAndUnresolvableNodes: {} })
    const none = await post(extender.address, '/filter', { Pod: podRequesting({}) })
    expect(none.json()).toMatchObject({ NodeNames: [], FailedNodes: {}, FailedAndUnresolvableNodes: {}, Error: '' })
  })

  test('returns whole nodes to a caller that sent whole nodes, and warns once', async () => {
    await using extender = await startWithFullAndFreeNode()
    const items = ['full', 'free'].map((name) => ({ metadata: { name, labels: { from: 'caller' } } }))
    const body = { Pod: podRequesting({ [DONGLE]: '1' }), Nodes: { metadata: {}, items } }
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

  test('accepts keys in any case, as Go does', async () => {
    await using extender = await startWithFullAndFreeNode()
    const { json } = await post(extender.address, '/filter', { pod: podRequesting({}), nodenames: ['free'] })
    expect(json()).toMatchObject({ NodeNames: ['free'] })
  })

  test('returns an Error for an invalid quantity, and keeps serving', async () => {
    await using extender = await startWithFullAndFreeNode()
    const broken = await post(extender.address, '/filter', {
      Pod: podRequesting({ [DONGLE]: 'NaN' }),
      NodeNames: ['free'],
    })
    expect(broken.status).toBe(200)
    expect((broken.json() as { Error: string }).Error).not.toBe('')
    const next = await post(extender.address, '/filter', { Pod: podRequesting({}), NodeNames: ['free'] })
    expect(next.json()).toMatchObject({ NodeNames: ['free'] })
  })

  test('refuses every pod until the cluster view is complete', async () => {
    let isDown = true
    const intercept: NonNullable<Parameters<typeof startTestExtender>[0]>['intercept'] = (handle) => (request) =>
      isDown && request.path.includes('/nodes') ? Promise.reject(new Error('connect ECONNREFUSED')) : handle(request)
    await using extender = await startTestExtender({ intercept })
    const body = { Pod: podRequesting({}), NodeNames: ['node-a'] }
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

  test.for<{ field: string; spec: Partial<PodSpec> }>([
    { field: 'resourceClaims', spec: { resourceClaims: [{ name: 'gpu' }] } },
    { field: 'workloadRef', spec: { workloadRef: { name: 'training', podGroup: 'workers' } } },
  ])('refuses a pod with spec.$field only with refuseUnsupported', async ({ field, spec }) => {
    const pod = podRequesting({}, spec)
    await using lenient = await startWithFullAndFreeNode()
    expect((await post(lenient.address, '/filter', { Pod: pod, NodeNames: ['free'] })).json()).toMatchObject({
      Error: '',
    })
    await using strict = await startWithFullAndFreeNode({ refuseUnsupported: true })
    const { json } = await post(strict.address, '/filter', { Pod: pod, NodeNames: ['free'] })
    expect((json() as { Error: string }).Error).toContain(`it uses what the extender does not implement: spec.${field}`)
  })
})

describe('prioritize', () => {
  test('scores every name with a whole number from 0 to 10', async () => {
    await using extender = await startWithFullAndFreeNode({
      plugins: [{ ...fit, args: { scoringStrategy: { type: 'LeastAllocated', resources: [{ name: DONGLE }] } } }],
    })
    const body = { Pod: podRequesting({ [DONGLE]: '1' }), NodeNames: ['free', 'full', 'unknown-node'] }
    expect((await post(extender.address, '/prioritize', body)).json()).toEqual([
      { Host: 'free', Score: 8 },
      { Host: 'full', Score: 0 },
      { Host: 'unknown-node', Score: 0 },
    ])
  })

  test('returns no scores when it cannot evaluate the pod', async () => {
    await using extender = await startWithFullAndFreeNode()
    const answer = await post(extender.address, '/prioritize', {
      Pod: podRequesting({ [DONGLE]: 'NaN' }),
      NodeNames: ['free'],
    })
    expect(answer).toMatchObject({ status: 200, text: '[]' })
  })
})

describe('chaos plugins in the extender', () => {
  const chaos = (name: string): { name: string; weight: number; args: Record<string, unknown> } => ({
    name,
    weight: 1,
    args: {},
  })

  test('rejects a node with the reason of the coin flip plugin', async () => {
    const draws = [0.9, 0.1]
    await using extender = await startWithFullAndFreeNode({
      plugins: [chaos('chaos-coin-flip')],
      registered: builtInPolicies,
      random: () => draws.shift() ?? 0,
    })
    const { json } = await post(extender.address, '/filter', { Pod: podRequesting({}), NodeNames: ['free', 'full'] })
    expect(json()).toMatchObject({
      NodeNames: ['free'],
      FailedNodes: { full: 'web cannot be scheduled to full: coin is tails' },
    })
  })

  test('returns whole scores from 0 to 10 with the dice plugin', async () => {
    const draws = [0, 0.999, 0.5]
    await using extender = await startWithFullAndFreeNode({
      plugins: [chaos('chaos-dice')],
      registered: builtInPolicies,
      random: () => draws.shift() ?? 0,
    })
    const { json } = await post(extender.address, '/prioritize', {
      Pod: podRequesting({}),
      NodeNames: ['free', 'full', 'without'],
    })
    expect((json() as readonly { Score: number }[]).map(({ Score }) => Score)).toEqual([10, 0, 5])
  })
})

describe('invalid requests', () => {
  test.for([
    { it: 'no JSON', body: '{', status: 200, says: 'read request: the body is not an object' },
    { it: 'a list', body: '[]', status: 200, says: 'read request: the body is not an object' },
    { it: 'no pod', body: '{}', status: 200, says: 'read request: Pod is missing' },
    { it: 'a pod without metadata', body: '{"Pod":{}}', status: 200, says: 'read request: Pod.metadata is missing' },
    {
      it: 'containers that are not objects',
      body: '{"Pod":{"metadata":{},"spec":{"containers":[1]}}}',
      status: 200,
      says: 'Pod.spec.containers',
    },
    {
      it: 'node names that are not strings',
      body: '{"Pod":{"metadata":{}},"NodeNames":[1]}',
      status: 200,
      says: 'NodeNames is not a list of names',
    },
    {
      it: 'nodes that are not a list',
      body: '{"Pod":{"metadata":{}},"Nodes":{"items":5}}',
      status: 200,
      says: 'Nodes is not a list',
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
  ])('returns a clear error for $it', async ({ body, status, says }) => {
    await using extender = await startTestExtender()
    const answer = await post(extender.address, '/filter', body)
    expect(answer.status).toBe(status)
    expect((answer.json() as { Error: string }).Error).toContain(says)
  })

  test('accepts the parameters of a content type', async () => {
    await using extender = await startWithFullAndFreeNode()
    const contentType = 'Application/JSON ; charset=utf-8'
    const { status, json } = await post(
      extender.address,
      '/filter',
      { Pod: podRequesting({}), NodeNames: ['free'] },
      { contentType },
    )
    expect(status).toBe(200)
    expect(json()).toMatchObject({ NodeNames: ['free'] })
  })

  test('rejects other methods, paths and content types', async () => {
    await using extender = await startTestExtender()
    expect((await post(extender.address, '/filter', '', { method: 'GET' })).status).toBe(404)
    expect((await post(extender.address, '/bind', '{}')).status).toBe(404)
    expect(
      (await post(extender.address, '/filter', 'a=b', { contentType: 'application/x-www-form-urlencoded' })).status,
    ).toBe(415)
  })

  test.for([
    { it: 'throws', filter: () => JSON.parse('{') as never, says: 'JSON' },
    { it: 'returns true', filter: () => true as never, says: 'filter returned true for node free' },
  ])('logs the name of a plugin whose filter $it', async ({ filter, says }) => {
    const argsSchema = z.strictObject({})
    const create = () => perNode({ filter })
    const broken = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'broken',
      description: 'D.',
      argsSchema,
      create,
    })
    const plugins = [fit, { name: 'broken', weight: 1, args: {} }]
    await using extender = await startWithFullAndFreeNode({ registered: [broken], plugins })
    await post(extender.address, '/filter', { Pod: podRequesting({}), NodeNames: ['free'] })
    const failures = extender.lines.filter(({ fields }) => fields['err'] !== undefined)
    expect(failures).toHaveLength(1)
    expect(failures[0]?.fields).toMatchObject({ plugin: 'broken', verb: 'filter', pod: 'default/web' })
    expect(String(failures[0]?.fields['err'])).toContain(says)
  })

  test('logs nothing of a pod but its name', async () => {
    await using extender = await startWithFullAndFreeNode()
    const pod = podRequesting({ [DONGLE]: 'NaN' })
    const secret = { ...pod, metadata: { ...pod.metadata, annotations: { token: 's3cr3t' } } }
    await post(extender.address, '/filter', { Pod: secret, NodeNames: ['free'] })
    const logged = JSON.stringify(extender.lines)
    expect(logged).toContain('default/web')
    expect(logged).not.toContain('s3cr3t')
  })
})

test('fails with one clear error when the port is in use', async () => {
  await using extender = await startTestExtender()
  const again = startExtenderServer({
    listen: extender.address,
    servingMode: { kind: 'plain' },
    evaluator: extender.evaluator,
    reviewPreemption: () => Promise.resolve(new Map()),
    binder: undefined,
    allowedClientNames: [],
    maxConnections: 1,
    maxConnectionAgeMs: 1,
    limits: { maxRequestBytes: 1, maxNodes: 1 },
    discarder: createBodyDiscarder(extender.clock),
    secondLookMs: 0,
    rejectedPods: undefined,
    metrics: {} as never,
    clock: extender.clock,
    random: () => 0,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  await expect(again).rejects.toMatchObject({
    code: 'BERTH_EXTENDER_LISTEN',
    message: `listen for kube-scheduler on ${extender.address}: the port is in use`,
  })
})

test('counts requests by verb and result', async () => {
  await using extender = await startWithFullAndFreeNode()
  await post(extender.address, '/filter', { Pod: podRequesting({}), NodeNames: ['free'] })
  await post(extender.address, '/filter', {})
  const text = await extender.metrics.registry.getSingleMetricAsString(metricDefinitions.calls.name)
  expect(text).toContain('berth_extender_calls_total{verb="filter",result="ok"} 1')
  expect(text).toContain('berth_extender_calls_total{verb="filter",result="bad_request"} 1')
})
