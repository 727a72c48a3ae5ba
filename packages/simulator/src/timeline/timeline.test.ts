import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { parseTimeline, type TimelineWrite } from './parse-timeline.ts'
import { replayTimeline } from './replay-timeline.ts'

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: 'u', resourceVersion: '7' }, spec: {} }
const PODS = '/api/v1/namespaces/default/pods'
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`
const event = (second: number, more: object = {}): object => ({
  stage: 'ResponseComplete',
  verb: 'create',
  requestURI: PODS,
  requestReceivedTimestamp: at(second),
  user: { username: 'alice' },
  objectRef: { resource: 'pods', namespace: 'default', name: 'a' },
  responseStatus: { code: 201 },
  requestObject: pod,
  ...more,
})
const lines = (...events: readonly object[]): string => events.map((each) => `${JSON.stringify(each)}\n`).join('')
const parse = (text: string): Promise<readonly TimelineWrite[]> => parseTimeline(text.split('\n'))

describe('parseTimeline', () => {
  test('returns the writes by time, without the identity of the recorded objects', async () => {
    const gone = {
      verb: 'delete',
      requestURI: `${PODS}/a`,
      requestObject: { preconditions: { uid: 'u' }, gracePeriodSeconds: 0 },
    }
    expect(await parse(lines(event(9, gone), event(4)))).toEqual([
      {
        afterMs: 0,
        method: 'POST',
        path: PODS,
        contentType: 'application/json',
        body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} },
      },
      {
        afterMs: 5_000,
        method: 'DELETE',
        path: `${PODS}/a`,
        contentType: 'application/json',
        body: { gracePeriodSeconds: 0 },
      },
    ])
  })

  test.for([
    [{ metadata: { uid: 'u', resourceVersion: '7', labels: { a: 'b' } } }, { metadata: { labels: { a: 'b' } } }],
    [
      [
        { op: 'test', path: '/metadata/uid', value: 'u' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'remove', path: '/spec' },
      ],
      [{ op: 'remove', path: '/spec' }],
    ],
  ])('takes from the patch %j what it requires of the recorded object', async ([requestObject, body]) => {
    const [write] = await parse(lines(event(0, { verb: 'patch', requestURI: `${PODS}/a`, requestObject })))
    expect(write).toMatchObject({ method: 'PATCH', body })
    expect(JSON.stringify(write)).not.toMatch(/uid|resourceVersion/)
  })

  test('takes the recorded uid from an eviction', async () => {
    const requestObject = {
      kind: 'Eviction',
      metadata: { name: 'a' },
      deleteOptions: { preconditions: { uid: 'u' }, gracePeriodSeconds: 5 },
    }
    const objectRef = { resource: 'pods', subresource: 'eviction', name: 'a' }
    const [write] = await parse(lines(event(0, { requestURI: `${PODS}/a/eviction`, objectRef, requestObject })))
    expect(write?.body).toEqual({
      kind: 'Eviction',
      metadata: { name: 'a' },
      deleteOptions: { gracePeriodSeconds: 5 },
    })
  })

  test('gives an object with a generated name the name that it had', async () => {
    const [write] = await parse(lines(event(0, { requestObject: { ...pod, metadata: { generateName: 'a-' } } })))
    expect(write?.body).toMatchObject({ metadata: { name: 'a' } })
    expect(write?.body).not.toHaveProperty('metadata.generateName')
  })

  test.for([
    ['a kubelet', { user: { username: 'system:node:n' } }],
    ['a simulated kubelet', { userAgent: 'berth-simulated-kubelet' }],
    ['a controller', { user: { username: 'system:serviceaccount:kube-system:replicaset-controller' } }],
    ['the scheduler', { user: { username: 'system:kube-scheduler' } }],
    ['a status update', { objectRef: { resource: 'pods', subresource: 'status' } }],
    ['a binding', { objectRef: { resource: 'pods', subresource: 'binding' } }],
    ['a Lease', { objectRef: { resource: 'leases' } }],
    ['a Secret', { objectRef: { resource: 'secrets' } }],
    ['the garbage collector', { user: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' } }],
    ['an access review', { objectRef: { apiGroup: 'authorization.k8s.io', resource: 'subjectaccessreviews' } }],
    ['a token review', { objectRef: { apiGroup: 'authentication.k8s.io', resource: 'tokenreviews' } }],
    [
      'a webhook',
      { objectRef: { apiGroup: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' } },
    ],
    ['a refused request', { responseStatus: { code: 409 } }],
    ['a dry run', { requestURI: `${PODS}?dryRun=All` }],
    ['a read', { verb: 'list' }],
    ['an event without an object', { objectRef: null }],
    ['an earlier stage', { stage: 'RequestReceived' }],
  ] as const)('leaves out %s', async ([, more]) => {
    expect(await parse(lines(event(0, more)))).toEqual([])
  })

  test.for(['cronjob-controller', 'horizontal-pod-autoscaler', 'snapshot-controller'])(
    'keeps the writes of %s, which the simulated cluster does not run',
    async (account) => {
      const user = { username: `system:serviceaccount:kube-system:${account}` }
      expect(await parse(lines(event(0, { user })))).toHaveLength(1)
    },
  )

  test.for([
    [[{ op: 'remove', path: '/spec' }], '', 'application/json-patch+json'],
    [{ spec: {} }, '', 'application/strategic-merge-patch+json'],
    [{ ...pod, metadata: { name: 'a' } }, '?fieldManager=kubectl', 'application/apply-patch+yaml'],
  ] as const)('finds the type of the patch %j', async ([requestObject, query, contentType]) => {
    const requestURI = `${PODS}/a${query}`
    const [write] = await parse(lines(event(0, { verb: 'patch', requestURI, requestObject })))
    expect(write).toMatchObject({ method: 'PATCH', contentType, body: requestObject })
  })

  test('sends patches of custom resources as merge patches', async () => {
    const more = { verb: 'patch', requestURI: '/apis/example.com/v1/things/a', requestObject: { spec: {} } }
    expect((await parse(lines(event(0, more))))[0]?.contentType).toBe('application/merge-patch+json')
  })

  test.for([
    ['no', 'line 1 is not JSON'],
    ['null', 'line 1 is not an object'],
    ['{"requestReceivedTimestamp":{"toString":1}}', 'line 1 has no requestReceivedTimestamp'],
    ['{"verb":"create"}', 'line 1 has no requestReceivedTimestamp'],
    [lines(event(0, { requestURI: 5 })), 'line 1 has no requestURI'],
    [lines(event(0, { requestURI: 'https://example.com/' })), 'line 1 has no requestURI'],
    [lines(event(0, { requestObject: null })), 'line 1 has no requestObject'],
    [lines(event(0, { verb: 'patch', requestObject: null })), 'line 1 has no requestObject'],
    [lines(event(0), event(1, { requestObject: undefined })), 'line 2 has no requestObject'],
  ] as const)('refuses %j: %s', async ([text, message]) => {
    await expect(parse(text)).rejects.toThrow(
      expect.objectContaining({ code: 'BERTH_SIMULATOR_TIMELINE', message: `read the timeline: ${message}` }),
    )
  })
})

test('reads an audit log of 200,000 events', async () => {
  const read = JSON.stringify(event(9, { verb: 'get' }))
  const text = `${`${read}\n`.repeat(200_000)}${lines(event(4))}`
  expect(await parse(text)).toMatchObject([{ afterMs: 0, path: PODS }])
})

describe('replayTimeline', () => {
  async function replay(stop = new AbortController().signal) {
    const clock = fakeClock()
    const sent: string[] = []
    const startMs = clock.monotonic()
    const result = replayTimeline(await parse(lines(event(0), event(10), event(20, { requestURI: '/missing' }))), {
      clock,
      stop,
      speed: 10,
      async handle({ method, path }) {
        if (method === 'GET') return { status: 404, headers: {}, body: (async function* () {})() }
        sent.push(`${clock.monotonic() - startMs} ${method} ${path}`)
        return { status: path === '/missing' ? 404 : 201, headers: {}, body: (async function* () {})() }
      },
    })
    await clock.advance(5_000)
    return { sent, result: await result }
  }

  test('sends each write at its time, faster by the factor, and counts refused ones', async () => {
    const { sent, result } = await replay()
    expect(sent).toEqual([`0 POST ${PODS}`, `1000 POST ${PODS}`, '2000 POST /missing'])
    expect(result).toEqual({ written: 2, refused: [{ request: 'POST /missing', status: 404 }], withoutOwner: 0 })
  })

  test('ends early when it is told to stop', async () => {
    expect((await replay(AbortSignal.abort())).result).toEqual({ written: 0, refused: [], withoutOwner: 0 })
  })

  test('waits for weeks', async () => {
    const clock = fakeClock()
    let written = 0
    const monthMs = 30 * 24 * 3_600_000
    const later = { requestReceivedTimestamp: new Date(Date.parse(at(0)) + monthMs).toISOString() }
    const result = replayTimeline(await parse(lines(event(0), event(0, later))), {
      clock,
      stop: new AbortController().signal,
      speed: 1,
      handle: async () => (written++, { status: 201, headers: {}, body: (async function* () {})() }),
    })
    await clock.advance(monthMs - 1)
    expect(written).toBe(1)
    await clock.advance(1)
    expect(await result).toMatchObject({ written: 2 })
  })
})
