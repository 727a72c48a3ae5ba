import { describe, expect, test } from 'vitest'
import { createTestServer, type JsonResponse, nodeManifest, podManifest, type TestServer } from '../../testing.ts'

const PODS = '/api/v1/namespaces/default/pods'
const MERGE = 'application/merge-patch+json'

function bind(
  server: TestServer,
  metadata: object = {},
  target: object = { kind: 'Node', name: 'n1' },
): Promise<JsonResponse> {
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p', ...metadata }, target }
  return server.call('POST', `${PODS}/p/binding`, { body })
}

async function withPod(spec: object = {}): Promise<TestServer> {
  const server = createTestServer()
  await server.call('POST', PODS, { body: podManifest('p', {}, spec) })
  return server
}

describe('binding', () => {
  test('assigns the pod, adds annotations and topology labels, and sets PodScheduled', async () => {
    const server = await withPod()
    const zone = { 'topology.kubernetes.io/zone': 'z1', other: 'x' }
    await server.call('POST', '/api/v1/nodes', {
      body: { ...nodeManifest('n1'), metadata: { name: 'n1', labels: zone } },
    })
    await server.call('PATCH', `${PODS}/p/status`, {
      contentType: MERGE,
      body: { status: { nominatedNodeName: 'n1' } },
    })
    const response = await bind(server, { annotations: { 'berth.dev/devices': 'd1' } })
    expect(response).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } })
    const { body: pod } = await server.call('GET', `${PODS}/p`)
    expect(pod.spec.nodeName).toBe('n1')
    expect(pod.metadata).toMatchObject({
      annotations: { 'berth.dev/devices': 'd1' },
      labels: { 'topology.kubernetes.io/zone': 'z1' },
    })
    expect(pod.metadata.labels).not.toHaveProperty('other')
    expect(pod.status.nominatedNodeName).toBeUndefined()
    expect(pod.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ])
  })

  test('checks neither that the node exists nor that the pod fits', async () => {
    const server = await withPod()
    expect((await bind(server, {}, { name: 'no-such-node' })).status).toBe(201)
  })

  test('refuses a pod that already has a node', async () => {
    const server = await withPod()
    await bind(server)
    const again = await bind(server, {}, { kind: 'Node', name: 'n2' })
    expect(again.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    })
  })

  test.for([
    {
      it: 'another uid',
      metadata: { uid: 'other' },
      status: 409,
      message: 'Precondition failed: UID in precondition: other',
    },
    {
      it: 'an old version',
      metadata: { resourceVersion: '1' },
      status: 409,
      message: 'Precondition failed: ResourceVersion',
    },
    {
      it: 'another name',
      metadata: { name: 'q' },
      status: 400,
      message: 'name in URL does not match name in Binding object',
    },
    { it: 'another target kind', target: { kind: 'Pod', name: 'n1' }, status: 500, message: 'target.kind' },
    { it: 'no target', target: {}, status: 500, message: 'target.name' },
  ])('refuses a binding with $it', async ({ metadata = {}, target, status, message }) => {
    const server = await withPod()
    const response = await bind(server, metadata, target)
    expect(response.status).toBe(status)
    expect(response.body.message).toContain(message)
    expect((await server.call('GET', `${PODS}/p`)).body.spec.nodeName).toBeUndefined()
  })

  test('refuses a pod that is gated, being deleted or deleted', async () => {
    const gated = await withPod({ schedulingGates: [{ name: 'example.com/wait' }] })
    expect((await bind(gated)).body.message).toContain('has non-empty .spec.schedulingGates')
    const terminating = createTestServer()
    await terminating.call('POST', PODS, {
      body: { ...podManifest('p'), metadata: { name: 'p', finalizers: ['example.com/hold'] } },
    })
    await terminating.call('DELETE', `${PODS}/p`)
    expect((await bind(terminating)).body.message).toContain('pod p is being deleted, cannot be assigned to a host')
    expect((await bind(createTestServer())).status).toBe(404)
  })
})

describe('eviction', () => {
  const budget = (name: string, status: object): object => ({
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
    status,
  })
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

  async function withRunningPod(): Promise<TestServer> {
    const server = createTestServer()
    const body = { ...podManifest('p', {}, { nodeName: 'n1' }), metadata: { name: 'p', labels: { app: 'a' } } }
    await server.call('POST', PODS, { body })
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await server.call('PATCH', `${PODS}/p/status`, { contentType: MERGE, body: { status } })
    return server
  }
  const evict = (server: TestServer, more: object = {}): Promise<JsonResponse> =>
    server.call('POST', `${PODS}/p/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, ...more },
    })

  test('deletes a pod without a disruption budget', async () => {
    const server = await withRunningPod()
    expect((await evict(server)).status).toBe(201)
    expect((await server.call('GET', `${PODS}/p`)).body.metadata.deletionTimestamp).toBeDefined()
  })

  test('is denied by a budget without allowed disruptions, and uses one up otherwise', async () => {
    const server = await withRunningPod()
    await server.call('POST', budgets, { body: budget('b', {}) })
    const denied = await evict(server)
    expect(denied.body).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      details: { causes: [{ reason: 'DisruptionBudget' }] },
    })
    await server.call('PATCH', `${budgets}/b/status`, {
      contentType: MERGE,
      body: { status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 } },
    })
    expect((await evict(server)).status).toBe(201)
    expect((await server.call('GET', `${budgets}/b`)).body.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: '2026-01-01T00:00:00Z' },
    })
  })

  test('changes neither the pod nor the budget when the body asks for a dry run', async () => {
    const server = await withRunningPod()
    await server.call('POST', budgets, { body: budget('b', {}) })
    const dryRun = { deleteOptions: { dryRun: ['All'] } }
    expect((await evict(server, dryRun)).status).toBe(429)
    await server.call('PATCH', `${budgets}/b/status`, {
      contentType: MERGE,
      body: { status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 } },
    })
    const before = await server.call('GET', `${PODS}/p`)
    expect((await evict(server, dryRun)).status).toBe(201)
    expect((await server.call('GET', `${budgets}/b`)).body.status).toMatchObject({ disruptionsAllowed: 1 })
    expect((await server.call('GET', `${PODS}/p`)).body).toEqual(before.body)
  })

  test('fails when two budgets cover the pod', async () => {
    const server = await withRunningPod()
    for (const name of ['b', 'c']) await server.call('POST', budgets, { body: budget(name, {}) })
    expect((await evict(server)).status).toBe(500)
  })
})

describe('scale', () => {
  const SCALE = '/apis/apps/v1/namespaces/default/deployments/d/scale'
  async function withDeployment(): Promise<TestServer> {
    const server = createTestServer()
    const spec = {
      replicas: 2,
      selector: { matchLabels: { a: '1' } },
      template: { metadata: { labels: { a: '1' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    }
    await server.call('POST', '/apis/apps/v1/namespaces/default/deployments', {
      body: { metadata: { name: 'd' }, spec },
    })
    return server
  }

  test('reads, patches and replaces the replicas', async () => {
    const server = await withDeployment()
    expect((await server.call('GET', SCALE)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { selector: 'a=1' },
    })
    const patched = await server.call('PATCH', SCALE, { contentType: MERGE, body: { spec: { replicas: 3 } } })
    expect(patched.body.spec.replicas).toBe(3)
    const replaced = await server.call('PUT', SCALE, { body: { spec: { replicas: 4 } } })
    expect(replaced.body.spec.replicas).toBe(4)
    const jsonPatch = [{ op: 'replace', path: '/spec/replicas', value: 5 }]
    await server.call('PATCH', SCALE, { contentType: 'application/json-patch+json', body: jsonPatch })
    expect((await server.call('GET', SCALE.replace('/scale', ''))).body).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 4 },
    })
  })

  test.for([
    { it: 'a negative number', method: 'PUT', body: { spec: { replicas: -1 } }, status: 422 },
    {
      it: 'an old version',
      method: 'PUT',
      body: { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } },
      status: 409,
    },
    { it: 'a patch that is not an object', method: 'PATCH', body: '7', status: 400 },
    { it: 'a deletion', method: 'DELETE', body: {}, status: 405 },
  ] as const)('refuses $it', async ({ method, body, status }) => {
    const server = await withDeployment()
    const contentType = method === 'PATCH' ? MERGE : 'application/json'
    expect((await server.call(method, SCALE, { body, contentType })).status).toBe(status)
  })
})

describe('finalize', () => {
  test('removes a terminating namespace without finalizers', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } })
    await server.call('DELETE', '/api/v1/namespaces/n')
    const inside = await server.call('POST', '/api/v1/namespaces/n/pods', { body: podManifest('p') })
    expect(inside.body.message).toContain('because it is being terminated')
    const kept = await server.call('PUT', '/api/v1/namespaces/n/finalize', {
      body: { spec: { finalizers: ['kubernetes'] } },
    })
    expect(kept.body.status.phase).toBe('Terminating')
    await server.call('PUT', '/api/v1/namespaces/n/finalize', { body: { spec: { finalizers: [] } } })
    expect((await server.call('GET', '/api/v1/namespaces/n')).status).toBe(404)
  })
})

describe('connections to containers', () => {
  test.for([
    { subresource: 'log', method: 'GET', missing: 'no log' },
    { subresource: 'exec', method: 'POST', missing: 'no container to run a command in' },
    { subresource: 'attach', method: 'GET', missing: 'no container to attach to' },
    { subresource: 'portforward', method: 'GET', missing: 'no port to forward to' },
    { subresource: 'proxy/metrics', method: 'GET', missing: 'no port to connect to' },
  ] as const)('$subresource is refused, because no containers run', async ({ subresource, method, missing }) => {
    const server = await withPod()
    expect(await server.call(method, `${PODS}/p/${subresource}?command=ls`)).toMatchObject({
      status: 501,
      body: {
        kind: 'Status',
        reason: 'NotImplemented',
        message: `pod default/p is simulated and runs nothing: it has ${missing}`,
      },
    })
    expect((await server.call(method, `${PODS}/none/${subresource}`)).status).toBe(404)
  })
})
