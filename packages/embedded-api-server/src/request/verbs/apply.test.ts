import { describe, expect, test } from 'vitest'
import { createTestServer, type JsonResponse, nodeManifest, type TestServer } from '../../testing.ts'

const MAP = { apiVersion: 'v1', kind: 'ConfigMap' }
const MAPS = '/api/v1/namespaces/default/configmaps'

function apply(server: TestServer, manager: string, data: object, options = ''): Promise<JsonResponse> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }
  return server.call('PATCH', `${MAPS}/c?fieldManager=${manager}${options}`, {
    contentType: 'application/apply-patch+yaml',
    body,
  })
}

const managers = ({ body }: JsonResponse): unknown =>
  Object.fromEntries(
    body.metadata.managedFields.map((entry: { manager: string; fieldsV1: object }) => [entry.manager, entry.fieldsV1]),
  )

describe('server-side apply', () => {
  test('creates, merges with the fields of other managers, and removes fields it no longer names', async () => {
    const server = createTestServer()
    expect((await apply(server, 'one', { a: '1', b: '1' })).status).toBe(201)
    const second = await apply(server, 'two', { c: '2' })
    expect(second.status).toBe(200)
    expect(second.body.data).toEqual({ a: '1', b: '1', c: '2' })
    const third = await apply(server, 'one', { a: '1' })
    expect(third.body.data).toEqual({ a: '1', c: '2' })
    expect(managers(third)).toEqual({ one: { 'f:data': { 'f:a': {} } }, two: { 'f:data': { 'f:c': {} } } })
  })

  test('refuses to change fields of another manager unless forced', async () => {
    const server = createTestServer()
    await apply(server, 'one', { a: '1', b: '1' })
    const single = await apply(server, 'two', { a: '2' })
    expect(single.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
      },
    })
    const both = await apply(server, 'two', { a: '2', b: '2' })
    expect(both.body.message).toBe('Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b')
    const forced = await apply(server, 'two', { a: '2' }, '&force=true')
    expect(forced.body.data).toEqual({ a: '2', b: '1' })
    expect(managers(forced)).toEqual({ one: { 'f:data': { 'f:b': {} } }, two: { 'f:data': { 'f:a': {} } } })
  })

  test('shares a field to which both managers apply the same value, and writes nothing the second time', async () => {
    const server = createTestServer()
    await apply(server, 'one', { a: '1' })
    const shared = await apply(server, 'two', { a: '1' })
    expect(shared.status).toBe(200)
    const again = await apply(server, 'two', { a: '1' })
    expect(again.body.metadata.resourceVersion).toBe(shared.body.metadata.resourceVersion)
  })

  test('loses the fields that an update changes', async () => {
    const server = createTestServer()
    await apply(server, 'one', { a: '1', b: '1' })
    const body = { data: { a: '2', d: '1' } }
    const patched = await server.call('PATCH', `${MAPS}/c?fieldManager=hand`, {
      contentType: 'application/merge-patch+json',
      body,
    })
    expect(managers(patched)).toEqual({
      one: { 'f:data': { 'f:b': {} } },
      hand: { 'f:data': { 'f:a': {}, 'f:d': {} } },
    })
  })

  test('owns capacity key by key in the status of a node', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes?fieldManager=kubelet', { body: nodeManifest('n1') })
    const config = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      status: { capacity: { 'example.com/dongle': '4' } },
    }
    const path = '/api/v1/nodes/n1/status?fieldManager=berth'
    const contentType = 'application/apply-patch+yaml'
    const applied = await server.call('PATCH', path, { contentType, body: config })
    expect(applied.body.status.capacity).toMatchObject({ cpu: '4', 'example.com/dongle': '4' })
    const cpu = await server.call('PATCH', path, {
      contentType,
      body: { ...config, status: { capacity: { cpu: '5' } } },
    })
    expect(cpu.body.message).toContain('conflict with "kubelet" using v1: .status.capacity.cpu')
    const pruned = await server.call('PATCH', path, {
      contentType,
      body: { ...config, status: { capacity: { cpu: '4' } } },
    })
    expect(pruned.body.status.capacity).toEqual({ cpu: '4', memory: '8Gi', pods: '110' })
  })

  test('owns list items by their keys: containers by name, variables by name, ports by number and protocol', async () => {
    const server = createTestServer()
    const deployments = '/apis/apps/v1/namespaces/default/deployments/d'
    const config = (containers: readonly object[]): object => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
      },
    })
    const put = (manager: string, containers: readonly object[]): Promise<JsonResponse> =>
      server.call('PATCH', `${deployments}?fieldManager=${manager}`, {
        contentType: 'application/apply-patch+yaml',
        body: config(containers),
      })
    const containersOf = ({ body }: JsonResponse): { name: string }[] => body.spec.template.spec.containers
    const main = { name: 'main', image: 'i', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] }
    await put('one', [main])
    const both = await put('two', [
      { name: 'side', image: 'j' },
      { name: 'main', image: 'i', env: [{ name: 'B', value: '2' }] },
    ])
    expect(containersOf(both)).toMatchObject([
      { name: 'main', env: [{ name: 'A' }, { name: 'B' }], ports: [{ containerPort: 80, protocol: 'TCP' }] },
      { name: 'side' },
    ])
    const without = await put('one', [{ name: 'main', image: 'i' }])
    expect(containersOf(without)).toMatchObject([{ name: 'main', env: [{ name: 'B', value: '2' }] }, { name: 'side' }])
    expect(containersOf(without)[0]).not.toHaveProperty('ports')
    const alone = await put('two', [{ name: 'main', image: 'i' }])
    expect(containersOf(alone).map(({ name }) => name)).toEqual(['main'])
  })

  test('names list items in a conflict', async () => {
    const server = createTestServer()
    const pod = (image: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image }] },
    })
    const path = '/api/v1/namespaces/default/pods/p?fieldManager='
    const contentType = 'application/apply-patch+yaml'
    await server.call('PATCH', `${path}one`, { contentType, body: pod('i') })
    const refused = await server.call('PATCH', `${path}two`, { contentType, body: pod('j') })
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.containers[name="c"].image',
    )
  })

  test.for([
    {
      it: 'a manager',
      query: '',
      body: { ...MAP, metadata: { name: 'c' } },
      status: 422,
      message: 'is required for apply patch',
    },
    { it: 'a kind', query: '?fieldManager=m', body: { metadata: { name: 'c' } }, message: 'invalid object type' },
    { it: 'a name', query: '?fieldManager=m', body: MAP, message: 'name must be provided' },
    {
      it: 'the name in the URL',
      query: '?fieldManager=m',
      body: { ...MAP, metadata: { name: 'd' } },
      message: 'does not match the name on the URL',
    },
    { it: 'YAML', query: '?fieldManager=m', body: 'a: [', message: 'error parsing YAML' },
    {
      it: 'empty managedFields',
      query: '?fieldManager=m',
      body: { ...MAP, metadata: { name: 'c', managedFields: [{ manager: 'x' }] } },
      message: 'managedFields must be nil',
    },
  ])('refuses a request without $it', async ({ query, body, message, status = 400 }) => {
    const server = createTestServer()
    const response = await server.call('PATCH', `${MAPS}/c${query}`, {
      contentType: 'application/apply-patch+yaml',
      body,
    })
    expect(response.status).toBe(status)
    expect(response.body.message).toContain(message)
  })

  test('does not create an object through the status subresource', async () => {
    const server = createTestServer()
    const response = await server.call('PATCH', '/api/v1/nodes/none/status?fieldManager=m', {
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'none' } },
    })
    expect(response.status).toBe(404)
  })
})
