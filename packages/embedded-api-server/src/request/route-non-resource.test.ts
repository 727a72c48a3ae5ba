import { describe, expect, test } from 'vitest'
import { createTestServer } from '../testing.ts'

describe('discovery', () => {
  test('lists groups, versions and resources in the unaggregated form', async () => {
    const server = createTestServer()
    expect((await server.call('GET', '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    const core = (await server.call('GET', '/api/v1')).body
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
    const names = core.resources.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['pods', 'pods/binding', 'pods/eviction', 'pods/status', 'nodes', 'namespaces/finalize']),
    )
    const groups = (await server.call('GET', '/apis')).body.groups.map(({ name }: { name: string }) => name)
    expect(groups).toEqual(expect.arrayContaining(['apps', 'batch', 'coordination.k8s.io', 'policy']))
    expect((await server.call('GET', '/apis/apps')).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { groupVersion: 'apps/v1' },
    })
    expect(
      (await server.call('GET', '/apis/apps/v1')).body.resources.find(
        ({ name }: { name: string }) => name === 'deployments/scale',
      ),
    ).toMatchObject({ kind: 'Scale', group: 'autoscaling' })
    expect((await server.call('GET', '/apis/nothing')).status).toBe(404)
    expect((await server.call('GET', '/apis/apps/v9')).status).toBe(404)
  })

  test('returns aggregated discovery to clients that request it', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
    const server = createTestServer()
    for (const path of ['/api', '/apis']) {
      const { body, headers } = await server.call('GET', path, { headers: { accept } })
      expect(headers['content-type']).toContain('as=APIGroupDiscoveryList')
      expect(body.kind).toBe('APIGroupDiscoveryList')
      expect(body.items[0].versions[0].resources[0]).toHaveProperty('responseKind.kind')
    }
  })
})

describe('OpenAPI documents', () => {
  test('describe the fields of every group version', async () => {
    const server = createTestServer()
    const { paths } = (await server.call('GET', '/openapi/v3')).body
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1']))
    const { body } = await server.call('GET', paths['api/v1'].serverRelativeURL)
    const { properties } = body.components.schemas['io.k8s.api.core.v1.PodSpec']
    expect(properties.containers).toMatchObject({
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
    })
    expect(properties.containers.description).toContain('at least one')
    const { patch } = body.paths['/api/v1/namespaces/{namespace}/pods/{name}']
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'Pod' })
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain('fieldValidation')
    expect((await server.call('GET', '/openapi/v3/apis/nothing/v1')).status).toBe(404)
  })

  test('are served as v2 JSON, and as v2 protobuf without definitions', async () => {
    const server = createTestServer()
    const { body } = await server.call('GET', '/openapi/v2')
    expect(body.definitions['io.k8s.api.core.v1.Node']).toMatchObject({ type: 'object' })
    const binary = await server.call('GET', '/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    })
    expect(binary.status).toBe(200)
    expect(binary.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
    expect(binary.body).toContain('Kubernetes')
    const other = await server.call('GET', '/openapi/v2', { headers: { accept: 'application/xml' } })
    expect(other.status).toBe(406)
  })
})

test.for([
  ['/version', 'v1.36.3'],
  ['/healthz', 'ok'],
  ['/readyz', 'ok'],
  ['/livez/ping', 'ok'],
] as const)('%s returns %s', async ([path, text]) => {
  const { status, body } = await createTestServer().call('GET', path)
  expect(status).toBe(200)
  expect(JSON.stringify(body)).toContain(text)
})

test.for([
  ['selfsubjectaccessreviews', { allowed: true }],
  ['subjectaccessreviews', { allowed: true }],
  ['selfsubjectrulesreviews', { incomplete: false }],
] as const)('%s allow everything without RBAC', async ([plural, status]) => {
  const body = { kind: 'Review', spec: { resourceAttributes: { verb: 'get' } } }
  const response = await createTestServer().call('POST', `/apis/authorization.k8s.io/v1/${plural}`, { body })
  expect(response).toMatchObject({ status: 201, body: { spec: body.spec, status } })
})

describe('events', () => {
  test('are readable and writable in both API groups', async () => {
    const server = createTestServer()
    const event = {
      metadata: { name: 'e' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'berth.dev/scheduler',
      reportingInstance: 'one',
      action: 'Binding',
      reason: 'Scheduled',
      note: 'Assigned',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    }
    const created = await server.call('POST', '/apis/events.k8s.io/v1/namespaces/default/events', { body: event })
    expect(created.body).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'Assigned', regarding: { name: 'p' } })
    const core = await server.call(
      'GET',
      '/api/v1/events?fieldSelector=involvedObject.name%3Dp,reportingComponent%3Dberth.dev/scheduler',
    )
    expect(core.body.items).toMatchObject([
      {
        message: 'Assigned',
        involvedObject: { name: 'p' },
        reportingComponent: 'berth.dev/scheduler',
      },
    ])
    const series = { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } }
    const path = '/apis/events.k8s.io/v1/namespaces/default/events/e'
    const patched = await server.call('PATCH', path, { contentType: 'application/merge-patch+json', body: series })
    expect(patched.body).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'Assigned', series: { count: 2 } })
    const list = await server.call('GET', '/apis/events.k8s.io/v1/events')
    expect(list.body.items[0].regarding.name).toBe('p')
    const table = await server.call('GET', '/api/v1/events', {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    expect(table.body.rows[0].cells.slice(1, 4)).toEqual(['Normal', 'Scheduled', 'pod/p'])
  })
})
