import { describe, expect, test } from 'vitest'
import { createTestServer, nodeManifest, openWatch, podManifest, type TestServer } from '../../testing.ts'

const PODS = '/api/v1/namespaces/default/pods'

async function withPods(...names: readonly string[]): Promise<TestServer> {
  const server = createTestServer()
  for (const name of names) await server.call('POST', PODS, { body: podManifest(name) })
  return server
}

const namesOf = (body: { items: { metadata: { name: string } }[] }): readonly string[] =>
  body.items.map(({ metadata }) => metadata.name)

describe('list', () => {
  test('returns all pages from one revision', async () => {
    const server = await withPods('a', 'b', 'c', 'd', 'e')
    const first = await server.call('GET', `${PODS}?limit=2`)
    expect(first.body).toMatchObject({ kind: 'PodList', apiVersion: 'v1', metadata: { remainingItemCount: 3 } })
    await server.call('DELETE', `${PODS}/c`)
    await server.call('POST', PODS, { body: podManifest('z') })
    const second = await server.call('GET', `${PODS}?limit=2&continue=${first.body.metadata.continue}`)
    expect(namesOf(second.body)).toEqual(['c', 'd'])
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
    const third = await server.call('GET', `${PODS}?limit=2&continue=${second.body.metadata.continue}`)
    expect(namesOf(third.body)).toEqual(['e'])
    expect(third.body.metadata.continue).toBeUndefined()
  })

  test('continues with the current objects when the revision of the first page was compacted', async () => {
    const server = await withPods('a', 'b', 'c')
    const { metadata } = (await server.call('GET', `${PODS}?limit=1`)).body
    await server.call('DELETE', `${PODS}/b`)
    await server.call('POST', PODS, { body: podManifest('d') })
    server.store.compact()
    const { body } = await server.call('GET', `${PODS}?limit=1&continue=${metadata.continue}`)
    expect(body).toMatchObject({ code: 410, reason: 'Expired' })
    expect(body.message).toContain('or use the continue token in this response')
    const token = { v: 'meta.k8s.io/v1', rv: -1, start: 'a\0' }
    expect(JSON.parse(Buffer.from(body.metadata.continue, 'base64url').toString())).toEqual(token)
    const rest = await server.call('GET', `${PODS}?continue=${body.metadata.continue}`)
    expect(namesOf(rest.body)).toEqual(['c', 'd'])
    expect(rest.body.metadata.resourceVersion).toBe(String(server.store.revision))
  })

  test('sends a long list in chunks, each much shorter than the longest string', async () => {
    const server = createTestServer()
    const names = Array.from({ length: 60 }, (_, i) => `pod-${String(i).padStart(2, '0')}`)
    for (const name of names) {
      const pod = podManifest(name) as { readonly metadata: object }
      const annotations = { note: 'x'.repeat(250_000) }
      await server.call('POST', PODS, { body: { ...pod, metadata: { ...pod.metadata, annotations } } })
    }
    const { status, headers, body } = await server.handle({ method: 'GET', path: PODS, headers: {} })
    expect([status, headers['content-length']]).toEqual([200, undefined])
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    expect(chunks.length).toBeGreaterThan(2)
    expect(Math.max(...chunks.map(({ byteLength }) => byteLength))).toBeLessThan(5 * 1024 * 1024)
    expect(namesOf(JSON.parse(Buffer.concat(chunks).toString()))).toEqual(names)
    const short = await server.handle({ method: 'GET', path: `${PODS}?limit=1`, headers: {} })
    expect(Number(short.headers['content-length'])).toBeGreaterThan(250_000)
  })

  test('returns an exact past revision until it is compacted', async () => {
    const server = await withPods('a')
    const { metadata } = (await server.call('GET', PODS)).body
    await server.call('POST', PODS, { body: podManifest('b') })
    const past = `${PODS}?resourceVersionMatch=Exact&resourceVersion=${metadata.resourceVersion}`
    expect(namesOf((await server.call('GET', past)).body)).toEqual(['a'])
    server.store.compact()
    const message = 'The resourceVersion for the provided list is too old.'
    expect((await server.call('GET', past)).body).toMatchObject({ code: 410, message })
  })

  test.for([
    { query: 'resourceVersion=0', status: 200 },
    { query: 'resourceVersion=1&resourceVersionMatch=NotOlderThan', status: 200 },
    { query: 'resourceVersion=99999', status: 504 },
    { query: 'resourceVersion=x', status: 500 },
    { query: 'limit=-1', status: 200 },
    { query: 'limit=many', status: 400 },
    { query: 'continue=nonsense', status: 400 },
    { query: 'resourceVersionMatch=Exact', status: 422 },
    { query: 'resourceVersionMatch=Exact&resourceVersion=0', status: 422 },
    { query: 'resourceVersionMatch=Nearly&resourceVersion=1', status: 422 },
    { query: 'resourceVersionMatch=Exact&resourceVersion=1&continue=x', status: 422 },
    { query: 'sendInitialEvents=true', status: 422 },
    { query: 'watch=1&sendInitialEvents=true', status: 422 },
    { query: 'watch=1&resourceVersionMatch=Exact&resourceVersion=1', status: 422 },
    { query: 'watch=1&timeoutSeconds=soon', status: 400 },
    { query: 'labelSelector=a%20b', status: 400 },
  ])('responds to $query with $status', async ({ query, status }) => {
    const server = await withPods('a')
    expect((await server.call('GET', `${PODS}?${query}`)).status).toBe(status)
  })

  test('selects by namespace, label and field, also across all namespaces', async () => {
    const server = await withPods('a', 'b')
    await server.call('POST', '/api/v1/namespaces/kube-system/pods', {
      body: { ...podManifest('s'), metadata: { name: 's', labels: { k: 'v' } } },
    })
    expect(namesOf((await server.call('GET', '/api/v1/pods')).body)).toEqual(['a', 'b', 's'])
    expect(namesOf((await server.call('GET', '/api/v1/pods?labelSelector=k%3Dv')).body)).toEqual(['s'])
    expect(namesOf((await server.call('GET', '/api/v1/pods?fieldSelector=metadata.name%3Db')).body)).toEqual(['b'])
  })

  test('returns the form that the Accept header requests', async () => {
    const server = await withPods('a')
    const table = await server.call('GET', PODS, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    })
    expect(table.body.kind).toBe('Table')
    expect(table.body.rows[0].cells.slice(0, 4)).toEqual(['a', '0/1', 'Pending', '0'])
    const metadata = await server.call('GET', PODS, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
    })
    expect(metadata.body.kind).toBe('PartialObjectMetadataList')
    expect(metadata.body.items[0]).not.toHaveProperty('spec')
    const binary = await server.call('GET', PODS, { headers: { accept: 'application/vnd.kubernetes.protobuf' } })
    expect(binary.body).toMatchObject({ code: 406, reason: 'NotAcceptable' })
  })
})

describe('watch', () => {
  test('starts with the existing objects when it names no resourceVersion', async () => {
    const server = await withPods('a')
    using watch = await openWatch(server, `${PODS}?watch=1`)
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
    await server.call('DELETE', `${PODS}/a`)
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { kind: 'Pod' } })
  })

  test('continues after the resourceVersion that it names', async () => {
    const server = await withPods('a')
    const { metadata } = (await server.call('GET', PODS)).body
    await server.call('POST', PODS, { body: podManifest('b') })
    using watch = await openWatch(server, `${PODS}?watch=true&resourceVersion=${metadata.resourceVersion}`)
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } })
  })

  test('reports objects that enter and leave the selection', async () => {
    const server = await withPods('a')
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    using unbound = await openWatch(server, '/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3D')
    using bound = await openWatch(server, '/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1')
    expect((await unbound.next()).type).toBe('ADDED')
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n1' } }
    await server.call('POST', `${PODS}/a/binding`, { body: binding })
    const left = await unbound.next()
    expect(left).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } })
    const entered = await bound.next()
    expect(entered).toMatchObject({ type: 'ADDED', object: { spec: { nodeName: 'n1' } } })
    expect(left.object.metadata.resourceVersion).toBe(entered.object.metadata.resourceVersion)
  })

  test('marks the end of the initial events and sends a bookmark every minute', async () => {
    const server = await withPods('a')
    const query =
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=90'
    using watch = await openWatch(server, `${PODS}?${query}`)
    expect((await watch.next()).type).toBe('ADDED')
    expect(await watch.next()).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'Pod', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    })
    server.clock.advance(60_000)
    const marker = await watch.next()
    expect(marker).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: String(server.store.revision) } },
    })
    expect(marker.object.metadata.annotations).toBeUndefined()
    server.clock.advance(30_000)
    expect((await watch.next()).type).toBe('BOOKMARK')
    expect(await watch.next()).toBeUndefined()
  })

  test('ends with 410 when the history was dropped', async () => {
    const server = await withPods('a')
    server.store.compact()
    using watch = await openWatch(server, `${PODS}?watch=1&resourceVersion=1`)
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    expect(await watch.next()).toBeUndefined()
  })

  test('ends when its client disconnects, before or after it started', async () => {
    const server = await withPods()
    const watch = await openWatch(server, `${PODS}?watch=1`)
    const end = watch.next()
    watch[Symbol.dispose]()
    expect(await end).toBeUndefined()
    const response = await server.handle({
      method: 'GET',
      path: `${PODS}?watch=1`,
      headers: {},
      signal: AbortSignal.abort(),
    })
    expect(await response.body[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
  })

  test('follows a single object, also in the form of a table', async () => {
    const server = await withPods('a', 'b')
    using watch = await openWatch(server, `${PODS}?watch=1&fieldSelector=metadata.name%3Db`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    })
    expect((await watch.next()).object.rows).toHaveLength(1)
    server.clock.advance(1)
    await server.call('DELETE', `${PODS}/a`)
    await server.call('DELETE', `${PODS}/b`)
    expect((await watch.next()).object.rows[0].cells[0]).toBe('b')
  })

  test('starts at a revision before the first object of its kind', async () => {
    const server = createTestServer()
    const { revision } = server.store
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    await server.call('POST', '/api/v1/namespaces/default/endpoints', { body: { metadata: { name: 'first' } } })
    const path = `/api/v1/namespaces/default/endpoints?watch=1&resourceVersion=${revision}`
    using watch = await openWatch(server, path)
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'first' } } })
  })
})

describe('paths', () => {
  test.for([
    { method: 'GET', path: '/nowhere', status: 404 },
    { method: 'GET', path: '/api/v1/unicorns', status: 404 },
    { method: 'GET', path: '/api/v1/namespaces/default/pods/none', status: 404 },
    { method: 'GET', path: '/api/v1/namespaces/default/nodes', status: 404 },
    { method: 'GET', path: '/api/v1/namespaces/default/pods/a/teapot', status: 404 },
    { method: 'GET', path: '/api/v1/pods/%E0%A4%A', status: 400 },
    { method: 'POST', path: '/api/v1/nodes/n1', status: 405 },
    { method: 'PUT', path: '/api/v1/nodes', status: 405 },
    { method: 'POST', path: '/api/v1/pods', status: 405 },
    { method: 'DELETE', path: '/api/v1/pods', status: 405 },
    { method: 'GET', path: '/api/v1/namespaces/default/pods/a/binding', status: 405 },
    { method: 'GET', path: '/api/v1/namespaces/default/pods/a/eviction', status: 405 },
    { method: 'GET', path: '/api/v1/namespaces/default/finalize', status: 405 },
    { method: 'DELETE', path: '/api/v1/namespaces/default/pods/a/status', status: 405 },
    { method: 'POST', path: '/version', status: 405 },
    { method: 'GET', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', status: 405 },
  ] as const)('$method $path returns $status', async ({ method, path, status }) => {
    const server = await withPods('a')
    const answer = await server.call(method, path)
    expect(answer.status).toBe(status)
    expect(answer.body.code ?? answer.body).toBe(path === '/nowhere' ? '404 page not found\n' : status)
  })

  test('the status subresource is readable', async () => {
    const server = await withPods('a')
    expect((await server.call('GET', `${PODS}/a/status`)).body.kind).toBe('Pod')
  })
})
