import { describe, expect, test } from 'vitest'
import type { JsonAnswer } from '../testing.ts'
import { createTestServer, nodeManifest, type TestServer } from '../testing.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

function apply(server: TestServer, manager: string, data: object, options = ''): Promise<JsonAnswer> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }
  return server.call('PATCH', `${MAPS}/c?fieldManager=${manager}${options}`, {
    contentType: 'application/apply-patch+yaml',
    body,
  })
}

const managers = ({ body }: JsonAnswer): unknown =>
  Object.fromEntries(
    body.metadata.managedFields.map((entry: { manager: string; fieldsV1: object }) => [entry.manager, entry.fieldsV1]),
  )

describe('server-side apply', () => {
  test('creates, merges with what others own, and takes back what it no longer names', async () => {
    const server = createTestServer()
    expect((await apply(server, 'one', { a: '1', b: '1' })).status).toBe(201)
    const second = await apply(server, 'two', { c: '2' })
    expect(second.status).toBe(200)
    expect(second.body.data).toEqual({ a: '1', b: '1', c: '2' })
    const third = await apply(server, 'one', { a: '1' })
    expect(third.body.data).toEqual({ a: '1', c: '2' })
    expect(managers(third)).toEqual({ one: { 'f:data': { 'f:a': {} } }, two: { 'f:data': { 'f:c': {} } } })
  })

  test('refuses to change what another manager owns, unless it is forced', async () => {
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

  test('shares a field that both want alike, and writes nothing the second time', async () => {
    const server = createTestServer()
    await apply(server, 'one', { a: '1' })
    const shared = await apply(server, 'two', { a: '1' })
    expect(shared.status).toBe(200)
    const again = await apply(server, 'two', { a: '1' })
    expect(again.body.metadata.resourceVersion).toBe(shared.body.metadata.resourceVersion)
  })

  test('an update takes the fields that it changes', async () => {
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
    expect(cpu.body.message).toContain('conflict with "kubelet" using v1 at 2026-01-01T00:00:00Z: .status.capacity.cpu')
    const pruned = await server.call('PATCH', path, {
      contentType,
      body: { ...config, status: { capacity: { cpu: '4' } } },
    })
    expect(pruned.body.status.capacity).toEqual({ cpu: '4', memory: '8Gi', pods: '110' })
  })

  test.for([
    { it: 'a manager', query: '', body: { metadata: { name: 'c' } }, message: 'is required for apply patch' },
    {
      it: 'the same name',
      query: '?fieldManager=m',
      body: { metadata: { name: 'd' } },
      message: 'does not match the name on the URL',
    },
    { it: 'YAML', query: '?fieldManager=m', body: 'a: [', message: 'error parsing YAML' },
    {
      it: 'no managedFields',
      query: '?fieldManager=m',
      body: { metadata: { managedFields: [{ manager: 'x' }] } },
      message: 'managedFields must be nil',
    },
  ])('wants $it', async ({ query, body, message }) => {
    const server = createTestServer()
    const answer = await server.call('PATCH', `${MAPS}/c${query}`, {
      contentType: 'application/apply-patch+yaml',
      body,
    })
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(message)
  })

  test('does not create through the status resource', async () => {
    const server = createTestServer()
    const answer = await server.call('PATCH', '/api/v1/nodes/none/status?fieldManager=m', {
      contentType: 'application/apply-patch+yaml',
      body: {},
    })
    expect(answer.status).toBe(404)
  })
})
