import { silentLogger, type ApiRequest, type KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, resourceRefs, type Reflector } from '../src/index.ts'
import {
  fakeClock,
  listWatchServer,
  scriptedHandler,
  type Fault,
  type FakeClock,
  type ListWatchServer,
} from '../src/testing.ts'

type Pod = KubernetesObject & {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string }
}
const pod = (name: string, uid = `uid-${name}`, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid, labels },
})

type Answer = NonNullable<Fault['answer']>

interface Bed {
  readonly clock: FakeClock
  readonly reflector: Reflector<KubernetesObject>
  readonly heard: string[]
  readonly lists: () => number
}

function start(server: Pick<ListWatchServer, 'handle' | 'requests'>, clock: FakeClock = fakeClock()): Bed {
  const cluster = connectCluster({
    handler: server.handle,
    log: silentLogger,
    clock,
    random: () => 0.5,
    userAgent: 'test',
  })
  const reflector = cluster.reflect(resourceRefs.pods)
  const heard: string[] = []
  reflector.subscribe({
    onAdd: (object) => heard.push(`+${object.metadata?.name}`),
    onUpdate: (old, object) =>
      heard.push(`~${object.metadata?.name} ${old.metadata?.resourceVersion}>${object.metadata?.resourceVersion}`),
    onDelete: (object) => heard.push(`-${object.metadata?.name}`),
  })
  const lists = (): number => server.requests.filter((request) => isRead(request)).length
  return { clock, reflector, heard, lists }
}

/** A LIST, or a watch that asks for everything. */
function isRead(request: ApiRequest): boolean {
  return !request.path.includes('watch=1') || request.path.includes('sendInitialEvents')
}

function expectEqual(reflector: Reflector<KubernetesObject>, server: ListWatchServer): void {
  const versions = (map: ReadonlyMap<string, KubernetesObject>): unknown =>
    [...map].map(([key, object]) => `${key} ${object.metadata?.resourceVersion}`).toSorted()
  expect(versions(reflector.store)).toEqual(versions(server.objects()))
}

describe('a reflector', () => {
  test('reads by WatchList, then hears every change with the old and the new object', async () => {
    const server = listWatchServer()
    server.put(pod('a'))
    const { clock, reflector, heard } = start(server)
    await clock.settle()
    expect(reflector.hasSynced()).toBe(true)
    server.put(pod('b'))
    server.put(pod('a'))
    server.remove('default/b')
    await clock.settle()
    expect(heard).toEqual(['+a', '+b', '~a 101>103', '-b'])
    expect(reflector.stats()).toMatchObject({ watchLists: 1, lists: 0, watches: 1 })
    await reflector[Symbol.asyncDispose]()
    expect(server.openWatches()).toBe(0)
  })

  test('uses paged LISTs for the life of the process where WatchList is refused', async () => {
    const server = listWatchServer({ hasWatchList: false })
    for (let i = 0; i < 1201; i++) server.put(pod(`p${i}`))
    const { clock, reflector } = start(server)
    await clock.advance(0)
    await clock.advance(0)
    await clock.advance(0)
    expect(reflector.hasSynced()).toBe(true)
    expectEqual(reflector, server)
    const paths = server.requests.map(({ path }) => path)
    expect(paths.filter((path) => path.includes('sendInitialEvents'))).toHaveLength(1)
    expect(paths.filter((path) => path.includes('limit=500'))).toHaveLength(3)
    expect(paths[1]).toContain('resourceVersion=0')
    server.endWatches()
    server.compact()
    await clock.advance(60_000)
    expect(server.requests.filter(({ path }) => path.includes('sendInitialEvents'))).toHaveLength(1)
    expect(reflector.stats().lists).toBe(2)
  })

  test('starts over with one full list when a continue token expires between pages', async () => {
    let pages = 0
    const server = listWatchServer({
      hasWatchList: false,
      fault: (request) => {
        if (request.path.includes('continue=') && pages++ === 0) server.compact()
        return undefined
      },
    })
    for (let i = 0; i < 600; i++) server.put(pod(`p${i}`))
    const { clock, reflector } = start(server)
    for (let i = 0; i < 4; i++) await clock.advance(0)
    expectEqual(reflector, server)
    const reads = server.requests.map(({ path }) => path).filter((path) => !path.includes('watch=1'))
    expect(reads).toHaveLength(3)
    expect(reads[2]).not.toContain('limit=')
    expect(reads[2]).not.toContain('resourceVersion=')
  })

  test('stays quiet for ten minutes on bookmarks alone: no relist, and the version advances', async () => {
    const server = listWatchServer()
    server.put(pod('a'))
    const { clock, reflector, lists } = start(server)
    await clock.settle()
    server.compact()
    for (let minute = 0; minute < 10; minute++) {
      server.bookmark()
      await clock.advance(60_000)
      if (minute === 5) server.endWatches()
    }
    expect(lists()).toBe(1)
    expect(reflector.lastResourceVersion()).toBe('102')
    expect(reflector.stats().relists).toEqual(new Map([['start', 1]]))
    expect(reflector.lastEventAgeMs()).toBeLessThanOrEqual(60_000)
  })

  test('finds deletions missed during an outage and delivers the last known object', async () => {
    const server = listWatchServer()
    server.put(pod('a'))
    server.put(pod('b'))
    const { clock, reflector, heard } = start(server)
    await clock.settle()
    server.breakWatches()
    server.remove('default/b')
    server.compact()
    await clock.advance(5_000)
    expect(heard).toEqual(['+a', '+b', '-b'])
    expect(reflector.stats().relists.get('expired')).toBe(1)
    expectEqual(reflector, server)
  })

  test('tells a re-created object of the same name as a deletion and an addition', async () => {
    const server = listWatchServer()
    server.put(pod('a', 'uid-1'))
    const { clock, heard } = start(server)
    await clock.settle()
    server.breakWatches()
    server.remove('default/a')
    server.put(pod('a', 'uid-2'))
    server.compact()
    await clock.advance(5_000)
    expect(heard).toEqual(['+a', '-a', '+a'])
  })

  const frame = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`
  const status = (code: number, reason: string): unknown => ({ kind: 'Status', code, reason, message: reason })
  const json = (code: number, reason: string, headers: Record<string, string> = {}): Answer =>
    scriptedHandler([{ answer: { kind: 'json', status: code, body: status(code, reason), headers }, times: 9 }]).handle
  const streamed = (text: string, ending: 'end' | 'break' | 'hang'): Answer =>
    scriptedHandler([{ answer: { kind: 'stream', chunks: [text], ending } }]).handle
  const errorFrame = (code: number, reason: string): Answer => streamed(frame('ERROR', status(code, reason)), 'end')
  const refused: Answer = () => Promise.reject(new Error('connect ECONNREFUSED'))
  const hang: Answer = scriptedHandler([{ answer: { kind: 'hang' } }]).handle
  const half = '{"type":"ADDED","obj'
  const old = { ...pod('ghost'), metadata: { ...pod('ghost').metadata, resourceVersion: '50' } }

  // Each fault hits the second watch request; then the server changes, and the mirror must follow: by reading
  // everything (`list`) or by watching on from where it was (`watch`).
  const table: readonly (readonly [
    it: string,
    answer: Answer,
    waitMs: number,
    by: 'list' | 'watch',
    reason: string,
  ])[] = [
    ['HTTP 410', json(410, 'Expired'), 3_000, 'list', 'expired'],
    ['an ERROR frame with 410', errorFrame(410, 'Expired'), 3_000, 'list', 'expired'],
    ['HTTP 429 with Retry-After', json(429, 'TooMany', { 'retry-after': '7' }), 8_000, 'watch', 'throttled'],
    ['an ERROR frame with 429', errorFrame(429, 'TooManyRequests'), 3_000, 'watch', 'throttled'],
    ['an ERROR frame with 500', errorFrame(500, 'InternalError'), 3_000, 'watch', 'server-error'],
    ['an ERROR frame with 504', errorFrame(504, 'Timeout'), 3_000, 'watch', 'server-error'],
    ['HTTP 503', json(503, 'ServiceUnavailable'), 3_000, 'watch', 'server-error'],
    ['HTTP 403', json(403, 'Forbidden'), 3_000, 'watch', 'refused'],
    ['HTTP 400', json(400, 'BadRequest'), 3_000, 'list', 'refused'],
    ['a refused connection', refused, 3_000, 'watch', 'broken'],
    ['a reset in the middle of a line', streamed(half, 'break'), 3_000, 'watch', 'broken'],
    ['an end in the middle of a line', streamed(half, 'end'), 3_000, 'watch', 'short-watch'],
    ['a line that is no JSON', streamed('{"type":"ADDED",,}\n', 'hang'), 3_000, 'list', 'undecodable'],
    ['an unknown frame type', streamed(frame('SURPRISE', {}), 'hang'), 3_000, 'list', 'undecodable'],
    ['silence on an open socket', streamed('', 'hang'), 182_000, 'watch', 'idle'],
    ['no answer at all', hang, 33_000, 'watch', 'idle'],
    ['an event from the past', streamed(frame('ADDED', old), 'hang'), 3_000, 'list', 'out-of-order'],
  ]
  test.for(table)('recovers from %s', async ([name, answer, waitMs, by, reason]) => {
    let watches = 0
    const server = listWatchServer({
      fault: ({ path }) => (path.includes('watch=1') && ++watches === 2 ? { name, answer } : undefined),
    })
    server.put(pod('a'))
    const { clock, reflector, lists } = start(server)
    await clock.settle()
    server.put(pod('b'))
    await clock.settle()
    server.endWatches()
    await clock.settle()
    expect(watches, 'the fault was injected').toBeGreaterThanOrEqual(2)
    server.put(pod('c'))
    server.remove('default/a')
    await clock.advance(waitMs)
    expectEqual(reflector, server)
    expect(lists()).toBe(by === 'list' ? 2 : 1)
    const { restarts, relists } = reflector.stats()
    expect([...(by === 'list' ? relists : restarts).keys()]).toContain(reason)
    await reflector[Symbol.asyncDispose]()
  })

  test('says why it cannot read, and a refusal is no sign of life', async () => {
    let isForbidden = true
    const answer = json(403, 'Forbidden')
    const server = listWatchServer({ fault: () => (isForbidden ? { name: '403', answer } : undefined) })
    server.put(pod('a'))
    const { clock, reflector } = start(server)
    await clock.settle()
    expect(reflector.failure()).toMatchObject({ status: 403, hint: expect.stringContaining('"watch"') as string })
    expect([reflector.hasSynced(), reflector.lastEventAgeMs()]).toEqual([false, Infinity])
    isForbidden = false
    await clock.advance(3_000)
    expect(reflector.failure()).toBeUndefined()
    expectEqual(reflector, server)
    await clock.advance(20_000)
    isForbidden = true
    server.endWatches()
    await clock.advance(50_000)
    expect(reflector.failure()).toMatchObject({ status: 403 })
    expect(reflector.lastEventAgeMs()).toBeGreaterThan(50_000)
    await reflector[Symbol.asyncDispose]()
  })

  test('a resource that need not be served is empty, and is found when it comes', async () => {
    let isServed = false
    const answer = json(404, 'NotFound')
    const server = listWatchServer({ fault: () => (isServed ? undefined : { name: '404', answer }) })
    server.put(pod('a'))
    const clock = fakeClock()
    const world = { log: silentLogger, clock, random: () => 0.5, userAgent: 'test' }
    const reflector = connectCluster({ handler: server.handle, ...world }).reflect(resourceRefs.pods, {
      mayBeAbsent: true,
    })
    await clock.settle()
    expect([reflector.hasSynced(), reflector.failure(), reflector.store.size]).toEqual([true, undefined, 0])
    await clock.advance(170_000)
    expect(reflector.lastEventAgeMs()).toBeLessThan(61_000)
    expect(server.requests.length).toBeLessThan(6)
    isServed = true
    await clock.advance(61_000)
    expectEqual(reflector, server)
    await reflector[Symbol.asyncDispose]()
  })

  test('waits for Retry-After before it watches again', async () => {
    let watches = 0
    const answer = json(429, 'TooManyRequests', { 'retry-after': '7' })
    const server = listWatchServer({
      fault: ({ path }) => (path.includes('watch=1') && ++watches === 2 ? { name: '429', answer } : undefined),
    })
    const { clock } = start(server)
    await clock.settle()
    server.endWatches()
    await clock.advance(6_900)
    expect(watches).toBe(2)
    await clock.advance(200)
    expect(watches).toBe(3)
  })

  test('keeps trying a watch through 500s, then reads everything after half a minute', async () => {
    let isDown = false
    const answer = json(500, 'InternalError')
    const server = listWatchServer({
      fault: (request) => (isDown && !isRead(request) ? { name: '500', answer } : undefined),
    })
    server.put(pod('a'))
    const { clock, reflector, lists } = start(server)
    await clock.settle()
    isDown = true
    server.endWatches()
    await clock.advance(20_000)
    expect(lists()).toBe(1)
    server.put(pod('b'))
    await clock.advance(60_000)
    expect(lists()).toBeGreaterThan(1)
    expectEqual(reflector, server)
    await reflector[Symbol.asyncDispose]()
  })

  test.for([
    { it: 'an unknown parameter is ignored: no end bookmark, silence', chunks: [] as string[] },
    { it: 'an unknown parameter is ignored: events only', chunks: [frame('ADDED', pod('a'))] },
  ])('falls back to LIST when $it', async ({ chunks }) => {
    const real = listWatchServer({ hasWatchList: false })
    real.put(pod('a'))
    const requests: ApiRequest[] = []
    const silent = scriptedHandler([], () => ({ kind: 'stream', chunks, ending: 'hang' }))
    const handle: ListWatchServer['handle'] = (request) => {
      requests.push(request)
      return request.path.includes('sendInitialEvents') ? silent.handle(request) : real.handle(request)
    }
    const { clock, reflector } = start({ handle, requests })
    await clock.advance(29_000)
    expect(reflector.hasSynced()).toBe(false)
    await clock.advance(3_000)
    expect(reflector.hasSynced()).toBe(true)
    expectEqual(reflector, real)
  })

  test('forgets its resource version when the server cannot serve it, and asks for the newest state', async () => {
    const before = listWatchServer({ hasWatchList: false })
    for (const name of ['a', 'b', 'c']) before.put(pod(name))
    // The server comes back from a backup: it is behind us, so that our version is too large for it.
    const restored = listWatchServer({ hasWatchList: false })
    let current = before
    const requests: ApiRequest[] = []
    const handle: ListWatchServer['handle'] = (request) => {
      requests.push(request)
      return current.handle(request)
    }
    const { clock, reflector } = start({ handle, requests })
    await clock.advance(0)
    expect(reflector.lastResourceVersion()).toBe('103')
    current = restored
    restored.put(pod('a'))
    before.breakWatches()
    await clock.advance(10_000)
    expectEqual(reflector, restored)
    expect(requests.findLast((request) => isRead(request))?.path).not.toContain('resourceVersion=')
  })

  test('skips and counts an object that cannot be read, and goes on with the others', async () => {
    const server = listWatchServer()
    server.put(pod('good'))
    server.put(pod('bad'))
    const clock = fakeClock()
    const cluster = connectCluster({
      handler: server.handle,
      log: silentLogger,
      clock,
      random: () => 0.5,
      userAgent: 'test',
    })
    const reflector = cluster.reflect(resourceRefs.pods, {
      project: (object) => {
        if (object.metadata?.labels?.['broken'] === 'yes') throw new Error('cannot be read')
        return object
      },
    })
    await clock.settle()
    server.put(pod('bad', 'uid-bad', { broken: 'yes' }))
    server.put(pod('ugly', 'uid-ugly', { broken: 'yes' }))
    server.put(pod('late'))
    await clock.settle()
    expect([...reflector.store.keys()]).toEqual(['default/good', 'default/bad', 'default/late'])
    expect(reflector.stats()).toMatchObject({ undecodable: 2, watches: 1 })
    // A relist finds it unreadable too: the last good state stays, the object is not declared deleted.
    server.compact()
    server.breakWatches()
    await clock.advance(5_000)
    expect([...reflector.store.keys()]).toEqual(['default/good', 'default/bad', 'default/late'])
    server.remove('default/bad')
    await clock.settle()
    expect(reflector.store.has('default/bad')).toBe(false)
  })

  test('logs a handler that throws and still serves the others', async () => {
    const server = listWatchServer()
    const { clock, reflector } = start(server)
    reflector.subscribe({
      onAdd: () => {
        throw new Error('handler')
      },
    })
    const added: unknown[] = []
    const end = reflector.subscribe({ onAdd: (object) => added.push(object.metadata?.name) })
    await clock.settle()
    server.put(pod('a'))
    await clock.settle()
    end()
    server.put(pod('b'))
    await clock.settle()
    expect(added).toEqual(['a'])
    expect(reflector.stats().handlerErrors).toBe(2)
    expect(reflector.store.size).toBe(2)
  })

  test('delivers what it holds to a late subscriber, and tells that it is synced', async () => {
    const server = listWatchServer()
    server.put(pod('a'))
    const { clock, reflector } = start(server)
    const order: string[] = []
    reflector.subscribe({ onSynced: () => order.push('early') })
    await clock.settle()
    reflector.subscribe({
      onAdd: (object) => order.push(`+${object.metadata?.name}`),
      onSynced: () => order.push('late'),
    })
    expect(order).toEqual(['early', '+a', 'late'])
  })

  test('ignores repeated events and hears nothing twice', async () => {
    const server = listWatchServer({
      fault: (request) => (isRead(request) ? undefined : { name: 'repeat', body: repeated }),
    })
    server.put(pod('a'))
    const { clock, reflector, heard } = start(server)
    await clock.settle()
    server.endWatches()
    await clock.settle()
    server.put(pod('b'))
    server.put(pod('a'))
    server.remove('default/b')
    await clock.settle()
    expect(heard).toEqual(['+a', '+b', '~a 101>103', '-b'])
    expect(reflector.stats().relists.size).toBe(1)
  })

  test('waitForSync rejects when the reflector is disposed or the signal aborts', async () => {
    const silent = scriptedHandler([], () => ({ kind: 'hang' }))
    const { reflector } = start({ handle: silent.handle, requests: silent.requests })
    const aborted = reflector.waitForSync(AbortSignal.abort(new Error('enough')))
    await expect(aborted).rejects.toThrow('enough')
    const waiting = reflector.waitForSync()
    waiting.catch(() => undefined)
    await reflector[Symbol.asyncDispose]()
    await expect(waiting).rejects.toMatchObject({ code: 'BERTH_API_CLOSED' })
    expect(reflector.lastEventAgeMs()).toBe(Infinity)
  })

  test('passes selectors and the namespace to every request', async () => {
    const server = listWatchServer({ hasWatchList: false })
    const clock = fakeClock()
    const cluster = connectCluster({
      handler: server.handle,
      log: silentLogger,
      clock,
      random: () => 0,
      userAgent: 'test',
    })
    const options = { namespace: 'team-a', labelSelector: 'app=web', fieldSelector: 'spec.nodeName=' }
    await using _ = cluster.reflect(resourceRefs.pods, options)
    await clock.settle()
    expect(server.requests.length).toBeGreaterThanOrEqual(3)
    for (const { path } of server.requests) {
      expect(path).toContain('/api/v1/namespaces/team-a/pods?')
      expect(path).toContain('labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3D')
    }
  })
})

async function* repeated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    yield chunk
  }
}
