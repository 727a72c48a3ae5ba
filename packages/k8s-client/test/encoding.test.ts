import { fakeClock } from '@berth/clock/testing'
import { silentLogger, type ApiHandler, type ApiRequest, type Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, resourceRefs, type Cluster } from '../src/index.ts'
import { inProtobuf, listWatchServer } from '../src/testing.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const target = { metadata: { name: 'web', namespace: 'default', uid: 'u' }, spec: { containers: [] } }

function connect(handler: ApiHandler, clock = fakeClock()): Cluster {
  const world = { log: silentLogger, clock, random: () => 0.5, userAgent: 'test' }
  return connectCluster({ handler, encoding: 'protobuf', ...world })
}

function answer(status: number, body: object): ReturnType<ApiHandler> {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = { 'content-type': 'application/json' }
  return Promise.resolve({
    status,
    headers,
    body: (async function* () {
      yield bytes
    })(),
  })
}

/** A server, or a proxy in front of one, that answers 415 or 406 to protobuf. */
function refusing(status: 406 | 415, seen: ApiRequest[], handler: ApiHandler): ApiHandler {
  return (request) => {
    seen.push(request)
    const { accept = '', 'content-type': sent = '' } = request.headers
    const isRefused = status === 415 ? sent === PROTOBUF : accept.startsWith(PROTOBUF)
    return isRefused ? answer(status, { kind: 'Status', code: status, message: 'no protobuf' }) : handler(request)
  }
}

describe('a cluster with the encoding protobuf', () => {
  test('writes bindings and events in protobuf, and everything else in JSON', async () => {
    const seen: ApiRequest[] = []
    await using cluster = connect((request) => {
      seen.push(request)
      return inProtobuf(() => answer(201, { kind: 'Status', apiVersion: 'v1', status: 'Success' }))(request)
    })
    expect(await cluster.client.bind(target, 'node-1')).toEqual({ kind: 'bound' })
    await cluster.client.create(resourceRefs.events, { metadata: { name: 'e', namespace: 'default' } })
    await cluster.client.create(resourceRefs.pods, target)
    await cluster.client.patch(resourceRefs.pods, target.metadata, {}, { type: 'merge' })
    await cluster.client.get(resourceRefs.pods, target.metadata)
    expect(seen.map(({ headers }) => [headers['content-type'], headers['accept']])).toEqual([
      [PROTOBUF, `${PROTOBUF},application/json`],
      [PROTOBUF, `${PROTOBUF},application/json`],
      ['application/json', 'application/json'],
      ['application/merge-patch+json', 'application/json'],
      [undefined, 'application/json'],
    ])
  })

  test('after a 415, sends the same call in JSON at once, and all later ones', async () => {
    const seen: ApiRequest[] = []
    await using cluster = connect(refusing(415, seen, () => answer(201, { kind: 'Status', status: 'Success' })))
    expect(await cluster.client.bind(target, 'node-1')).toEqual({ kind: 'bound' })
    expect(await cluster.client.bind(target, 'node-2')).toEqual({ kind: 'bound' })
    expect(seen.map(({ headers }) => headers['content-type'])).toEqual([
      PROTOBUF,
      'application/json',
      'application/json',
    ])
  })

  test.for([{ isLarge: true }, { isLarge: false }])('after a 406, reads in JSON at once: %j', async ({ isLarge }) => {
    const clock = fakeClock()
    const seen: ApiRequest[] = []
    const server = listWatchServer()
    server.put({ metadata: { name: 'a', namespace: 'default' } })
    await using cluster = connect(refusing(406, seen, server.handle), clock)
    const mirror = cluster.reflect(resourceRefs.pods, { isLarge })
    await clock.settle()
    expect([...mirror.store.keys()]).toEqual(['default/a'])
    expect(mirror.stats().failures).toBe(0)
    expect(seen.filter(({ headers }) => headers['accept']?.startsWith(PROTOBUF))).toHaveLength(1)
  })

  test('reads a server that answers in JSON', async () => {
    const clock = fakeClock()
    const server = listWatchServer()
    await using cluster = connect(server.handle, clock)
    const mirror = cluster.reflect(resourceRefs.pods)
    await clock.settle()
    server.put({ metadata: { name: 'a', namespace: 'default' } })
    await clock.settle()
    expect([...mirror.store.keys()]).toEqual(['default/a'])
    expect(server.requests.every(({ headers }) => headers['accept']?.startsWith(PROTOBUF))).toBe(true)
  })

  test('lists nodes in protobuf where the caller accepts it, without the fields that it skips', async () => {
    const seen: ApiRequest[] = []
    const item = {
      metadata: { name: 'a', uid: 'u', managedFields: [{ manager: 'kubelet' }] },
      status: { capacity: { cpu: '4' }, images: [{ names: ['x'] }] },
    }
    const list = { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [item] }
    const server = inProtobuf(() => answer(200, list))
    await using cluster = connect((request) => {
      seen.push(request)
      return server(request)
    })
    const protobuf = { skips: ['metadata.managedFields', 'status.images'] }
    const { metadata, items } = await cluster.client.list<Node>(resourceRefs.nodes, { protobuf })
    expect(metadata.resourceVersion).toBe('7')
    expect(items).toMatchObject([{ kind: 'Node', metadata: { name: 'a' }, status: { capacity: { cpu: '4' } } }])
    expect(items[0]?.metadata).not.toHaveProperty('managedFields')
    expect(items[0]?.status).not.toHaveProperty('images')
    expect((await cluster.client.list<Node>(resourceRefs.nodes)).items).toEqual([item])
    expect(seen.map(({ headers }) => headers['accept'])).toEqual([`${PROTOBUF},application/json`, 'application/json'])
  })

  test('lists in JSON at once after a 406, and from a server that answers in JSON', async () => {
    const seen: ApiRequest[] = []
    const list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'a' } }] }
    await using cluster = connect(refusing(406, seen, () => answer(200, list)))
    await using plain = connect(() => answer(200, list))
    for (const { client } of [cluster, cluster, plain]) {
      const { items } = await client.list(resourceRefs.nodes, { protobuf: {} })
      expect(items).toEqual(list.items)
    }
    expect(seen.filter(({ headers }) => headers['accept']?.startsWith(PROTOBUF))).toHaveLength(1)
  })

  test('refuses a list in protobuf that is damaged', async () => {
    const item = { metadata: { name: 'a' }, spec: 7 }
    await using cluster = connect(inProtobuf(() => answer(200, { kind: 'NodeList', apiVersion: 'v1', items: [item] })))
    await expect(cluster.client.list(resourceRefs.nodes, { protobuf: {} })).rejects.toMatchObject({
      code: 'BERTH_API_UNREADABLE',
    })
  })

  test('reads resources other than pods, nodes and events in JSON', async () => {
    const clock = fakeClock()
    const server = listWatchServer()
    await using cluster = connect(server.handle, clock)
    cluster.reflect(resourceRefs.services)
    await clock.settle()
    expect(server.requests.map(({ headers }) => headers['accept'])).toEqual(['application/json'])
  })

  test('skips a pod that cannot be decoded, counts it, and keeps the others', async () => {
    const clock = fakeClock()
    const server = listWatchServer()
    server.put({ metadata: { name: 'a', namespace: 'default' } })
    await using cluster = connect(inProtobuf(server.handle), clock)
    const mirror = cluster.reflect(resourceRefs.pods)
    await clock.settle()
    // Its spec is a number, which no encoder accepts.
    server.put({ metadata: { name: 'b', namespace: 'default' }, spec: 7 } as Parameters<typeof server.put>[0])
    server.put({ metadata: { name: 'c', namespace: 'default' } })
    await clock.settle()
    expect([...mirror.store.keys()]).toEqual(['default/a', 'default/c'])
    expect(mirror.stats()).toMatchObject({ undecodable: 1, watchLists: 1, watches: 1 })
  })
})
