import { fakeClock, seededRandom } from '@berth/clock/testing'
import { connectCluster, resourceRefs } from '@berth/k8s-client'
import { createApiServer } from '@berth/simulator'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { type Recording, readRecording } from '../../src/ui/recording/read-recording.ts'
import { recordedFeed } from '../../src/ui/recording/recorded-feed.ts'

const dongle = 'example.com/dongle'

/** An API server that writes an audit log. */
function auditedServer(level: 'Request' | 'RequestResponse') {
  const clock = fakeClock()
  const random = seededRandom(1)
  const lines: string[] = []
  const audit = { level, sink: (event: object) => void lines.push(JSON.stringify(event)) }
  const server = createApiServer({ clock, random, audit })
  const { client } = connectCluster({
    handler: (request) => server.handle(request),
    log: silentLogger,
    clock,
    random,
    qps: 0,
    userAgent: 'test',
  })
  return { client, clock, log: () => lines.join('\n') }
}

/** Adds a node, creates and binds a pod, and deletes it, a second apart. */
async function writtenLog(level: 'Request' | 'RequestResponse'): Promise<string> {
  const { client, clock, log } = auditedServer(level)
  const amounts = { cpu: '2', [dongle]: '4' }
  await client.create<Node>(resourceRefs.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  const status = { capacity: amounts, allocatable: amounts }
  await client.patchNodeStatus('node-1', { status }, { fieldManager: 'test' })
  await clock.advance(1_000)
  const asks = { [dongle]: '3' }
  const container = { name: 'main', image: 'busybox', resources: { requests: asks, limits: asks } }
  const pod = await client.create<Pod>(resourceRefs.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'web-', namespace: 'default' },
    spec: { containers: [container] },
  })
  await clock.advance(1_000)
  await client.bind(pod, 'node-1')
  await clock.advance(1_000)
  const { name = '' } = pod.metadata
  await client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
  return log()
}

function read(log: string): Promise<Recording> {
  return readRecording(log.split('\n'))
}

describe('a recording', () => {
  test('is an audit log with responses, whose patches and bindings count', async () => {
    const recording = await read(await writtenLog('RequestResponse'))
    expect(recording.unknownCount).toBe(0)
    const feed = recordedFeed(recording)
    const { points = [] } = feed?.pointsAfter(0) ?? {}
    expect(points.map(({ counts: { arrived, placed, ended } }) => [arrived, placed, ended])).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ])
    const requestedAt = (timeMs: number): number | undefined =>
      feed?.at(timeMs)?.resources.find(({ name }) => name === dongle)?.total[1]
    expect(points.map(({ timeMs }) => requestedAt(timeMs))).toEqual([0, 0, 3, 0])
    expect(feed?.latest()?.notes).toEqual([])
  })

  test('says how many writes it cannot show without responses', async () => {
    const recording = await read(await writtenLog('Request'))
    // The pod whose generated name only the response holds, and its binding.
    expect(recording.unknownCount).toBe(2)
    expect(recordedFeed(recording)?.latest()?.notes).toEqual([
      'Writes that are not shown, because the recording holds no response to them: 2. Record with audit level RequestResponse, or with kubectl berth ui --record.',
    ])
  })

  const event = (more: object): string =>
    JSON.stringify({
      stage: 'ResponseComplete',
      verb: 'create',
      requestURI: '/api/v1/namespaces/default/pods',
      objectRef: { resource: 'pods', namespace: 'default', name: 'web' },
      responseStatus: { code: 201 },
      requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
      requestObject: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'web', namespace: 'default' },
        spec: { containers: [] },
      },
      ...more,
    })

  test.for<readonly [what: string, more: object]>([
    ['a refused write', { responseStatus: { code: 403 } }],
    ['a dry run', { requestURI: '/api/v1/namespaces/default/pods?dryRun=All' }],
    ['a read', { verb: 'get' }],
    ['the beginning of a request', { stage: 'RequestReceived' }],
    ['another resource', { objectRef: { resource: 'secrets', namespace: 'default', name: 'web' } }],
    ['a resource of another group', { objectRef: { resource: 'pods', apiGroup: 'metrics.k8s.io', name: 'web' } }],
    ['an event without a reference', { objectRef: null }],
  ])('leaves out %s', async ([, more]) => {
    expect(await read(event(more))).toEqual({ changes: [], unknownCount: 0 })
  })

  test.for<readonly [what: string, object: unknown]>([
    ['a pod without a specification', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' } }],
    ['a container that is null', { kind: 'Pod', apiVersion: 'v1', metadata: {}, spec: { containers: [null] } }],
    [
      'an amount that is not a quantity',
      {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: {},
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: 'much' } } }] },
      },
    ],
    ['labels that are a text', { kind: 'Pod', apiVersion: 'v1', metadata: { labels: 'x' }, spec: { containers: [] } }],
    ['a node that is a number', { kind: 'Pod', apiVersion: 'v1', metadata: {}, spec: { containers: [], nodeName: 1 } }],
  ])('counts %s as unreadable', async ([, requestObject]) => {
    expect(recordedFeed(await read(event({ requestObject })))?.latest()?.notes).toEqual([
      'Objects that are not shown, because they cannot be read: 1.',
    ])
  })

  test('keeps names such as __proto__ apart from the program', async () => {
    const amounts = JSON.parse('{"__proto__":"3","constructor":"2","cpu":"1"}') as unknown
    const requestObject = {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: '__proto__' },
      status: { capacity: amounts, allocatable: amounts },
    }
    const feed = recordedFeed(await read(event({ objectRef: { resource: 'nodes', name: '__proto__' }, requestObject })))
    expect(feed?.latest()).toMatchObject({
      nodes: ['__proto__'],
      resources: [{ name: '__proto__' }, { name: 'constructor' }, { name: 'cpu' }],
    })
  })
})
