import { describe, expect, test } from 'vitest'
import { resourceRefs, TransportError, type EvictOutcome, type PatchType } from '../src/index.ts'
import type { ScriptedStep } from '../src/testing.ts'
import { failed, ok, pod, step, testClient } from './test-client.ts'

const { pods, nodes, configMaps, leases, deployments } = resourceRefs
const target = { namespace: 'team', name: 'web' }
const bindPath = 'POST /api/v1/namespaces/team/pods/web/binding'
const podPath = 'GET /api/v1/namespaces/team/pods/web'
const hang = { kind: 'hang' } as const
const drop = { kind: 'drop' } as const
const unsent = new TransportError('connect', { code: 'BERTH_API_UNREACHABLE', delivered: 'no' })
const refused = new TransportError('refused', { code: 'BERTH_API_REFUSED', delivered: 'no' })

describe('reads', () => {
  test('reads an object, an absent object and the server version', async () => {
    const { cluster, settle, server } = testClient(
      step(ok(pod), podPath),
      step(failed(404, 'NotFound'), podPath),
      step(ok({ minor: '36' }), 'GET /version'),
    )
    expect(await settle(cluster.client.get(pods, target))).toEqual(pod)
    expect(await settle(cluster.client.find(pods, target))).toBeUndefined()
    expect(await settle(cluster.serverVersion())).toEqual({ minor: '36' })
    expect(server.requests[0]?.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'berth-test/1.0' })
    expect(server.requests[0]?.headers).not.toHaveProperty('accept-encoding')
  })

  test('list follows continue tokens and reads null items as an empty list', async () => {
    const page = (items: unknown, next?: string) =>
      ok({ metadata: { resourceVersion: '9', ...(next === undefined ? {} : { continue: next }) }, items })
    const { cluster, settle, server } = testClient(
      step(page([{ a: 1 }], 'more')),
      step(page([{ a: 2 }])),
      step(page(null)),
    )
    const list = await settle(cluster.client.list(nodes, { labelSelector: 'a=b', fieldSelector: 'c=d' }))
    expect(list).toMatchObject({ items: [{ a: 1 }, { a: 2 }], metadata: { resourceVersion: '9' } })
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/v1/nodes?labelSelector=a%3Db&fieldSelector=c%3Dd&limit=500',
      '/api/v1/nodes?labelSelector=a%3Db&fieldSelector=c%3Dd&limit=500&continue=more',
    ])
    expect((await settle(cluster.client.list(deployments, { namespace: 'team' }))).items).toEqual([])
    expect(server.requests[2]?.path).toBe('/apis/apps/v1/namespaces/team/deployments?limit=500')
  })

  test('list starts over once, without pages, when a continue token expires', async () => {
    const page = (items: unknown, next?: string) => ok({ metadata: { resourceVersion: '9', continue: next }, items })
    const expired = step(failed(410, 'Expired'), undefined, 9)
    const { cluster, settle, server } = testClient(
      step(page([{ a: 1 }], 'more')),
      step(failed(410, 'Expired')),
      step(page([{ a: 2 }, { a: 3 }])),
      step(page([], 'more')),
      step(failed(410, 'Expired')),
      expired,
    )
    expect((await settle(cluster.client.list(nodes))).items).toEqual([{ a: 2 }, { a: 3 }])
    expect(server.requests[2]?.path).toBe('/api/v1/nodes')
    await expect(settle(cluster.client.list(nodes))).rejects.toMatchObject({ code: 'BERTH_API_EXPIRED' })
    expect(server.requests).toHaveLength(6)
  })

  test('a 403 names the verb and the resource, and a page of a proxy is reported as not JSON', async () => {
    const page = { kind: 'stream', chunks: ['<html>log in</html>'], ending: 'end' } as const
    const { cluster, settle } = testClient(step(failed(403, 'Forbidden')), step(page))
    await expect(settle(cluster.client.list(pods))).rejects.toMatchObject({
      code: 'BERTH_API_FORBIDDEN',
      hint: expect.stringContaining('"list" on the resource "pods"') as string,
    })
    await expect(settle(cluster.client.get(nodes, { name: 'n' }))).rejects.toMatchObject({
      code: 'BERTH_API_UNREADABLE',
    })
  })
})

describe('retries', () => {
  test.for([
    {
      it: '429 waits as long as the server asks',
      steps: [step(failed(429, 'TooMany', { 'retry-after': '5' })), step(ok({}))],
      calls: 2,
      from: 5_000,
      to: 5_600,
    },
    {
      it: '503 with Retry-After is retried when the server asks',
      steps: [step(failed(503, '', { 'retry-after': '1' })), step(ok({}))],
      calls: 2,
      from: 1_000,
      to: 1_200,
    },
    {
      it: '429 gives up within a minute',
      steps: [step(failed(429, 'TooMany', { 'retry-after': '9' }), undefined, 99)],
      calls: 7,
      from: 50_000,
      to: 60_000,
      code: 'BERTH_API_THROTTLED',
    },
    {
      it: '429 gives up after ten attempts',
      steps: [step(failed(429, 'TooMany', { 'retry-after': '1' }), undefined, 99)],
      calls: 11,
      from: 10_000,
      to: 11_000,
      code: 'BERTH_API_THROTTLED',
    },
    {
      it: '500 without Retry-After is final',
      steps: [step(failed(500, 'InternalError'))],
      calls: 1,
      from: 0,
      to: 100,
      code: 'BERTH_API_UNAVAILABLE',
    },
    ...[401, 403].map((status) => ({
      it: `${status} is final, because a retry would change nothing`,
      steps: [step(failed(status), undefined, 99)],
      calls: 1,
      from: 0,
      to: 100,
      code: status === 401 ? 'BERTH_API_UNAUTHORIZED' : 'BERTH_API_FORBIDDEN',
    })),
    {
      it: 'a read whose response was lost is retried',
      steps: [step(drop), step(drop), step(ok({}))],
      calls: 3,
      from: 200,
      to: 1_000,
    },
    {
      it: 'a read that keeps failing ends after three retries',
      steps: [step(drop, undefined, 99)],
      calls: 4,
      from: 200,
      to: 3_000,
      code: 'BERTH_API_BROKEN',
    },
    {
      it: 'a call that the server keeps refusing unread ends after ten retries',
      steps: [step({ kind: 'drop', error: refused }, undefined, 99)],
      calls: 11,
      from: 5_000,
      to: 30_000,
      code: 'BERTH_API_REFUSED',
    },
    {
      it: 'a read without a response has a deadline for each attempt',
      steps: [step(hang), step(ok({}))],
      calls: 2,
      from: 30_000,
      to: 31_000,
    },
  ])('$it', async ({ steps, calls, from, to, code }) => {
    const { cluster, clock, server, settle } = testClient(...steps)
    const call = settle(cluster.client.get(nodes, { name: 'n' }))
    const ended = await call.then(
      () => undefined,
      (error: { readonly code: string }) => error.code,
    )
    expect(ended).toBe(code)
    expect(server.requests).toHaveLength(calls)
    expect(clock.monotonic()).toBeGreaterThanOrEqual(from)
    expect(clock.monotonic()).toBeLessThanOrEqual(to)
  })

  test('retries a write that cannot have arrived, but not one that may have', async () => {
    const lost = testClient(step(drop))
    await expect(
      lost.settle(lost.cluster.client.create(configMaps, { metadata: { name: 'c' } })),
    ).rejects.toMatchObject({ code: 'BERTH_API_BROKEN', delivered: 'unknown' })
    expect(lost.server.requests).toHaveLength(1)
    const early = testClient(step({ kind: 'drop', error: unsent }), step(ok({}, 201)))
    await early.settle(early.cluster.client.create(configMaps, { metadata: { name: 'c' } }))
    expect(early.server.requests).toHaveLength(2)
  })

  test('a write that waited for the rate limit is not sent once mayStart returns false', async () => {
    const { cluster, clock, server } = testClient(step(ok({}), undefined, 999))
    let isAllowed = true
    const calls = Array.from({ length: 150 }, (_, i) =>
      cluster.client.create(configMaps, { metadata: { name: `c${i}` } }, { mayStart: () => isAllowed }),
    )
    const ended = Promise.allSettled(calls)
    await clock.settle()
    const sent = server.requests.length
    expect(sent).toBe(100)
    isAllowed = false
    await clock.advance(10_000)
    expect(server.requests).toHaveLength(sent)
    const refused = (await ended).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(50)
    expect(refused[0]).toMatchObject({ reason: { code: 'BERTH_API_WITHHELD', delivered: 'no', retryable: false } })
  })

  test('reports delivery as unknown if an earlier attempt may have arrived, even if a later one was not sent', async () => {
    const { cluster, settle } = testClient(step(failed(503, '', { 'retry-after': '1' })))
    let checks = 0
    const mayStart = (): boolean => ++checks === 1
    const call = settle(cluster.client.update(configMaps, { metadata: { name: 'c' } }, { mayStart }))
    await expect(call).rejects.toMatchObject({ code: 'BERTH_API_WITHHELD', delivered: 'unknown' })
  })

  test('cancelling ends a call at once, and closing the cluster ends those in flight', async () => {
    const { cluster, clock } = testClient(step(hang, undefined, 3))
    const cancelled = new AbortController()
    const call = cluster.client.get(nodes, { name: 'n' }, { signal: cancelled.signal })
    const other = cluster.client.get(nodes, { name: 'n' })
    other.catch(() => undefined)
    await clock.settle()
    cancelled.abort(new Error('no longer needed'))
    await expect(call).rejects.toThrow('no longer needed')
    await cluster[Symbol.asyncDispose]()
    await expect(other).rejects.toMatchObject({ code: 'BERTH_API_CLOSED', delivered: 'unknown' })
    const late = cluster.client.get(nodes, { name: 'n' })
    await expect(late).rejects.toMatchObject({ code: 'BERTH_API_CLOSED', delivered: 'no' })
    await expect(cluster.client.raw({ method: 'GET', path: '/', headers: {} })).rejects.toMatchObject({
      code: 'BERTH_API_CLOSED',
    })
  })
})

describe('bind', () => {
  const repeatable = { 'retry-after': '1' }
  test.for<{ it: string; steps: readonly ScriptedStep[]; outcome: object; calls: number }>([
    { it: '201', steps: [step(ok({}, 201), bindPath)], outcome: { kind: 'bound' }, calls: 1 },
    {
      it: '404',
      steps: [step(failed(404, 'NotFound'), bindPath)],
      outcome: { kind: 'rejected', status: 404 },
      calls: 1,
    },
    {
      it: '403',
      steps: [step(failed(403, 'Forbidden'), bindPath)],
      outcome: { kind: 'rejected', status: 403 },
      calls: 1,
    },
    {
      it: '422',
      steps: [step(failed(422, 'Invalid'), bindPath)],
      outcome: { kind: 'rejected', status: 422 },
      calls: 1,
    },
    {
      it: '409, without reading the pod',
      steps: [step(failed(409, 'Conflict'), bindPath)],
      outcome: { kind: 'rejected', status: 409 },
      calls: 1,
    },
    {
      it: '500, without reading the pod',
      steps: [step(failed(500), bindPath)],
      outcome: { kind: 'rejected', status: 500 },
      calls: 1,
    },
    { it: 'a lost response', steps: [step(drop, bindPath)], outcome: { kind: 'unknown' }, calls: 1 },
    { it: 'no response within the deadline', steps: [step(hang, bindPath)], outcome: { kind: 'unknown' }, calls: 1 },
    {
      it: 'a connection that is never made',
      steps: [step({ kind: 'drop', error: unsent }, bindPath, 4)],
      outcome: { kind: 'unsent', cause: unsent },
      calls: 4,
    },
    { it: '504', steps: [step(failed(504), bindPath)], outcome: { kind: 'unknown' }, calls: 1 },
    {
      it: '500 because storage did not answer',
      steps: [step(failed(500, '', {}, 'etcdserver: request timed out'), bindPath)],
      outcome: { kind: 'unknown' },
      calls: 1,
    },
    {
      it: '429, which is waited out',
      steps: [step(failed(429, '', repeatable), bindPath), step(ok({}, 201), bindPath)],
      outcome: { kind: 'bound' },
      calls: 2,
    },
    {
      it: '503 with Retry-After, then a connection that is never made: the first call may have acted',
      steps: [step(failed(503, '', repeatable), bindPath), step({ kind: 'drop', error: unsent }, bindPath, 4)],
      outcome: { kind: 'unknown' },
      calls: 2,
    },
  ])('$it: $outcome', async ({ steps, outcome, calls }) => {
    const { cluster, server, settle } = testClient(...steps)
    const result = await settle(cluster.client.bind(pod, 'n1', { annotations: { a: 'b' } }))
    expect(result).toMatchObject(outcome)
    expect(server.requests).toHaveLength(calls)
    expect(server.bodies[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace: 'team', name: 'web', uid: 'uid-1', annotations: { a: 'b' } },
      target: { kind: 'Node', name: 'n1' },
    })
  })
})

test("a rejected bind carries the server's own words", async () => {
  const message = 'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n2"'
  const { cluster, settle } = testClient(step(failed(409, 'Conflict', {}, message), bindPath))
  expect(await settle(cluster.client.bind(pod, 'n1'))).toEqual({ kind: 'rejected', status: 409, message })
})

describe('evict', () => {
  const path = 'POST /api/v1/namespaces/team/pods/web/eviction'
  test.for<{ it: string; answer: ScriptedStep['answer']; outcome: EvictOutcome }>([
    { it: '201', answer: ok({}, 201), outcome: { kind: 'evicted' } },
    { it: '404', answer: failed(404), outcome: { kind: 'gone' } },
    {
      it: '409 on the uid',
      answer: failed(409, 'Conflict', {}, 'Precondition failed: UID in precondition: uid-1'),
      outcome: { kind: 'gone' },
    },
    {
      it: '409 on the uid, in the words of a comparison before the deletion',
      answer: failed(
        409,
        'Conflict',
        {},
        'the UID in the precondition (uid-1) does not match the UID in record (uid-2)',
      ),
      outcome: { kind: 'gone' },
    },
    {
      it: '429 of a disruption budget',
      answer: failed(429, 'TooManyRequests', { 'retry-after': '10' }, 'budget', [{ reason: 'DisruptionBudget' }]),
      outcome: { kind: 'blocked', message: 'budget', retryAfterMs: 10_000 },
    },
  ])('$it: $outcome.kind', async ({ answer, outcome }) => {
    const { cluster, server, settle } = testClient(step(answer, path))
    expect(await settle(cluster.client.evict(pod, { gracePeriodSeconds: 0, dryRun: true }))).toEqual(outcome)
    expect(server.requests).toHaveLength(1)
    expect(server.bodies[0]).toMatchObject({
      apiVersion: 'policy/v1',
      deleteOptions: { gracePeriodSeconds: 0, dryRun: ['All'], preconditions: { uid: 'uid-1' } },
    })
  })

  test.for([
    { it: '403', answer: failed(403), code: 'BERTH_API_FORBIDDEN' },
    {
      it: 'a conflict of a pod with "uid" in its name',
      answer: failed(
        409,
        'Conflict',
        {},
        'Operation cannot be fulfilled on pods "druid-0": the object has been modified',
      ),
      code: 'BERTH_API_CONFLICT',
    },
    {
      it: 'a 429 of a server that throttles',
      answer: failed(429, 'TooManyRequests', { 'retry-after': '1' }, 'Too many requests, please try again later.'),
      code: 'BERTH_API_THROTTLED',
    },
  ])('throws for $it, and does not retry', async ({ answer, code }) => {
    const { cluster, server, settle } = testClient(step(answer, path))
    await expect(settle(cluster.client.evict(pod))).rejects.toMatchObject({ code })
    expect(server.requests).toHaveLength(1)
  })
})

describe('writes', () => {
  test.for<readonly [PatchType, string, string]>([
    ['merge', 'application/merge-patch+json', ''],
    ['json', 'application/json-patch+json', ''],
    ['strategic', 'application/strategic-merge-patch+json', ''],
    ['apply', 'application/apply-patch+yaml', '&force=true'],
  ])('a %s patch is sent as %s', async ([type, contentType, query]) => {
    const { cluster, server, settle } = testClient(step(ok({})))
    await settle(
      cluster.client.patch(pods, target, { a: 1 }, { type, fieldManager: 'me', force: true, subresource: 'status' }),
    )
    expect(server.requests[0]).toMatchObject({
      method: 'PATCH',
      path: `/api/v1/namespaces/team/pods/web/status?fieldManager=me${query}`,
      headers: { 'content-type': contentType },
    })
  })

  test('patchNodeStatus sends one merge patch with the resourceVersion', async () => {
    const { cluster, server, settle } = testClient(step(ok({}), undefined, 2))
    const patch = {
      metadata: { annotations: { 'berth.dev/advertised': '{}' } },
      status: { capacity: { 'example.com/dongle': '4' } },
    }
    await settle(
      cluster.client.patchNodeStatus('n1', patch, { resourceVersion: '7', fieldManager: 'berth-advertiser' }),
    )
    await settle(cluster.client.patchNodeStatus('n1', patch, { fieldManager: 'berth-advertiser' }))
    expect(server.requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/nodes/n1/status?fieldManager=berth-advertiser',
    })
    expect(server.requests[0]?.headers).toMatchObject({
      'content-type': 'application/merge-patch+json',
      accept: expect.stringContaining('as=PartialObjectMetadata') as string,
    })
    expect(server.bodies).toEqual([{ ...patch, metadata: { ...patch.metadata, resourceVersion: '7' } }, patch])
  })

  test('create adds apiVersion and kind, but posts subresources unchanged', async () => {
    const { cluster, server, settle } = testClient(step(ok({}, 201), undefined, 2))
    await settle(
      cluster.client.create(
        leases,
        { metadata: { name: 'l', namespace: 'kube-system' } },
        { dryRun: true, fieldManager: 'me' },
      ),
    )
    await settle(cluster.client.create(pods, { metadata: target, kind: 'Eviction' }, { subresource: 'eviction' }))
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?fieldManager=me&dryRun=All',
      '/api/v1/namespaces/team/pods/web/eviction?fieldManager=berth',
    ])
    expect(server.bodies[0]).toMatchObject({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' })
    expect(server.bodies[1]).toEqual({ metadata: target, kind: 'Eviction' })
  })

  test('delete sends preconditions, and returns false if there was nothing to delete', async () => {
    const { cluster, server, settle } = testClient(step(ok({})), step(failed(404)))
    const options = {
      uid: 'u',
      resourceVersion: '3',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
      dryRun: true,
    } as const
    expect(await settle(cluster.client.delete(pods, target, options))).toBe(true)
    expect(await settle(cluster.client.delete(pods, target))).toBe(false)
    expect(server.bodies).toEqual([
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
        dryRun: ['All'],
        preconditions: { uid: 'u', resourceVersion: '3' },
      },
      { kind: 'DeleteOptions', apiVersion: 'v1' },
    ])
  })

  test('modify reads again after a 409, keeps unknown fields, and gives up after five attempts', async () => {
    const map = (version: string) =>
      ok({ metadata: { name: 'c', namespace: 'team', resourceVersion: version }, future: { field: 1 } })
    const { cluster, server, settle } = testClient(step(map('1')), step(failed(409)), step(map('2')), step(map('3')))
    const change = <T>(current: T): T => ({ ...current, data: { a: 'b' } })
    await settle(cluster.client.modify(configMaps, { namespace: 'team', name: 'c' }, change))
    expect(server.bodies[3]).toMatchObject({
      metadata: { resourceVersion: '2' },
      data: { a: 'b' },
      future: { field: 1 },
    })
    const unlucky = testClient(step(map('1'), 'GET', 9), step(failed(409), 'PUT', 9))
    await expect(unlucky.settle(unlucky.cluster.client.modify(configMaps, target, change))).rejects.toMatchObject({
      code: 'BERTH_API_CONFLICT',
    })
    expect(unlucky.server.requests).toHaveLength(10)
    const idle = testClient(step(map('1')))
    expect(await idle.settle(idle.cluster.client.modify(configMaps, target, () => undefined))).toBeUndefined()
  })

  test('modify of a subresource names the missing permission: to read the object, or to write the subresource', async () => {
    const name = { name: 'n' }
    const change = <T>(current: T): T => current
    const options = { subresource: 'status', fieldManager: 'me' } as const
    const blind = testClient(step(failed(403, 'Forbidden'), 'GET /api/v1/nodes/n'))
    await expect(blind.settle(blind.cluster.client.modify(nodes, name, change, options))).rejects.toMatchObject({
      hint: expect.stringContaining('"get" on the resource "nodes" ') as string,
    })
    const mute = testClient(step(ok({ metadata: name }), 'GET'), step(failed(403, 'Forbidden'), 'PUT'))
    await expect(mute.settle(mute.cluster.client.modify(nodes, name, change, options))).rejects.toMatchObject({
      hint: expect.stringContaining('"update" on the resource "nodes/status" ') as string,
    })
  })

  test.for([
    {
      it: 'does not send a JSON patch again, because it may have acted',
      patch: [{ op: 'add', path: '/a/-', value: 1 }],
      calls: 1,
    },
    {
      it: 'sends a JSON patch again that tests the version',
      patch: [
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'add', path: '/a/-', value: 1 },
      ],
      calls: 2,
    },
  ])('after a 503 with Retry-After, $it', async ({ patch, calls }) => {
    const { cluster, server, settle } = testClient(step(failed(503, '', { 'retry-after': '1' })), step(ok({})))
    await settle(cluster.client.patch(configMaps, target, patch, { type: 'json' }).catch(() => undefined))
    expect(server.requests).toHaveLength(calls)
  })

  test('after a 503 with Retry-After, does not create an object with generateName again', async () => {
    const { cluster, server, settle } = testClient(step(failed(503, '', { 'retry-after': '1' }), undefined, 9))
    const create = cluster.client.create(configMaps, { metadata: { generateName: 'c-' } })
    await expect(settle(create)).rejects.toMatchObject({ code: 'BERTH_API_UNAVAILABLE' })
    expect(server.requests).toHaveLength(1)
  })

  test('raw sends the request unchanged', async () => {
    const { cluster, server } = testClient(step(ok({ a: 1 })))
    const response = await cluster.client.raw({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } })
    expect(response.status).toBe(200)
    expect(server.requests[0]?.headers).toEqual({ accept: 'text/plain', 'user-agent': 'berth-test/1.0' })
  })
})
