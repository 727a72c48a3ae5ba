import { describe, expect, test } from 'vitest'
import { createTestServer, nodeManifest, podManifest, type TestServer } from '../../testing.ts'

const PODS = '/api/v1/namespaces/default/pods'
const MERGE = 'application/merge-patch+json'

async function withPod(spec: object = {}): Promise<TestServer> {
  const server = createTestServer()
  await server.call('POST', PODS, { body: podManifest('p', {}, spec) })
  return server
}

describe('delete', () => {
  test('removes a pod without a node at once and returns it', async () => {
    const server = await withPod()
    const response = await server.call('DELETE', `${PODS}/p`)
    expect(response).toMatchObject({ status: 200, body: { kind: 'Pod' } })
    expect((await server.call('GET', `${PODS}/p`)).status).toBe(404)
  })

  test('gives a bound pod its grace period, which a second deletion can only shorten', async () => {
    const server = await withPod({ nodeName: 'n1' })
    const first = await server.call('DELETE', `${PODS}/p`)
    expect(first.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    })
    const longer = await server.call('DELETE', `${PODS}/p?gracePeriodSeconds=60`)
    expect(longer.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
    const shorter = await server.call('DELETE', `${PODS}/p`, { body: { gracePeriodSeconds: 5 } })
    expect(shorter.body.metadata.deletionGracePeriodSeconds).toBe(5)
    await server.call('DELETE', `${PODS}/p`, { body: { gracePeriodSeconds: 0 } })
    expect((await server.call('GET', `${PODS}/p`)).status).toBe(404)
  })

  test('removes a finished pod at once', async () => {
    const server = await withPod({ nodeName: 'n1' })
    await server.call('PATCH', `${PODS}/p/status`, { contentType: MERGE, body: { status: { phase: 'Failed' } } })
    await server.call('DELETE', `${PODS}/p`)
    expect((await server.call('GET', `${PODS}/p`)).status).toBe(404)
  })

  test('removes the object once its finalizers are gone', async () => {
    const server = createTestServer()
    const maps = '/api/v1/namespaces/default/configmaps'
    await server.call('POST', maps, { body: { metadata: { name: 'c', finalizers: ['example.com/hold'] } } })
    expect((await server.call('DELETE', `${maps}/c`)).body.kind).toBe('ConfigMap')
    expect((await server.call('GET', `${maps}/c`)).body.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z')
    const freed = await server.call('PATCH', `${maps}/c`, {
      contentType: MERGE,
      body: { metadata: { finalizers: null } },
    })
    expect(freed.status).toBe(200)
    expect((await server.call('GET', `${maps}/c`)).status).toBe(404)
  })

  test('returns a Status for other kinds, and respects preconditions and dry runs', async () => {
    const server = createTestServer()
    const { body } = await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const wrong = await server.call('DELETE', '/api/v1/nodes/n1', { body: { preconditions: { uid: 'other' } } })
    expect(wrong.body).toMatchObject({ code: 409, reason: 'Conflict' })
    const stale = await server.call('DELETE', '/api/v1/nodes/n1', { body: { preconditions: { resourceVersion: '1' } } })
    expect(stale.status).toBe(409)
    expect((await server.call('DELETE', '/api/v1/nodes/n1?dryRun=All')).status).toBe(200)
    const gone = await server.call('DELETE', '/api/v1/nodes/n1', {
      body: { preconditions: { uid: body.metadata.uid } },
    })
    expect(gone.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'n1', kind: 'nodes', uid: body.metadata.uid },
    })
    expect((await server.call('DELETE', '/api/v1/nodes/n1')).status).toBe(404)
  })

  test('of a collection deletes the selected objects only', async () => {
    const server = createTestServer()
    for (const name of ['a', 'b', 'c']) {
      await server.call('POST', PODS, {
        body: { ...podManifest(name), metadata: { name, labels: { keep: name === 'b' ? 'yes' : 'no' } } },
      })
    }
    const response = await server.call('DELETE', `${PODS}?labelSelector=keep%3Dno`)
    expect(response.body.items).toHaveLength(2)
    expect((await server.call('GET', PODS)).body.items).toHaveLength(1)
  })
})
