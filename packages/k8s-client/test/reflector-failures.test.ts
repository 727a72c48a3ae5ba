import { fakeClock } from '@berth/clock/testing'
import { silentLogger, type ApiRequest } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, KubeconfigError, resourceRefs } from '../src/index.ts'
import { listWatchServer, scriptedHandler, type ListWatchServer } from '../src/testing.ts'
import { expectEqual, isRead, pod, refused, start, type Answer } from './reflector-fixture.ts'

describe('a reflector whose server fails', () => {
  const frame = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`
  const status = (code: number, reason: string): unknown => ({ kind: 'Status', code, reason, message: reason })
  const json = (code: number, reason: string, headers: Record<string, string> = {}): Answer =>
    scriptedHandler([{ answer: { kind: 'json', status: code, body: status(code, reason), headers }, times: 9 }]).handle
  const streamed = (text: string, ending: 'end' | 'break' | 'hang'): Answer =>
    scriptedHandler([{ answer: { kind: 'stream', chunks: [text], ending } }]).handle
  const errorFrame = (code: number, reason: string): Answer => streamed(frame('ERROR', status(code, reason)), 'end')
  const unwell = (code: number): Answer => {
    const headers = { 'retry-after': '1' }
    return scriptedHandler([], () => ({ kind: 'json', status: code, body: status(code, 'Unwell'), headers })).handle
  }
  const hang: Answer = scriptedHandler([{ answer: { kind: 'hang' } }]).handle
  const half = '{"type":"ADDED","obj'
  const old = { ...pod('ghost'), metadata: { ...pod('ghost').metadata, resourceVersion: '50' } }

  // Each fault hits the second watch request. Then the server changes, and the mirror must follow: by reading everything
  // (`list`), or by watching from its version (`watch`).
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
    ['a line that is not JSON', streamed('{"type":"ADDED",,}\n', 'hang'), 3_000, 'list', 'undecodable'],
    ['an unknown frame type', streamed(frame('SURPRISE', {}), 'hang'), 3_000, 'list', 'undecodable'],
    ['silence on an open socket', streamed('', 'hang'), 182_000, 'list', 'idle'],
    ['no response at all', hang, 33_000, 'watch', 'idle'],
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

  test('reports why it cannot read, and does not count a refusal as an event', async () => {
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

  test.for([
    { it: 'that sent bookmarks', hasBookmarks: true, boundMs: 181_000 },
    { it: 'that never sent one', hasBookmarks: false, boundMs: 106_000 },
  ])(
    'finds changes that repeatedly silent watches hide, on a server $it, and reports its age meanwhile',
    async ({ hasBookmarks, boundMs }) => {
      const silent = scriptedHandler([], () => ({ kind: 'stream', chunks: [], ending: 'hang' })).handle
      let isSilent = false
      const server = listWatchServer({
        fault: ({ path }) => (isSilent && path.includes('watch=1') ? { name: 'silent', answer: silent } : undefined),
      })
      server.put(pod('a'))
      const { clock, reflector } = start(server, fakeClock(), { isLarge: true })
      await clock.settle()
      if (hasBookmarks) server.bookmark()
      await clock.advance(2_000)
      isSilent = true
      server.endWatches()
      await clock.settle()
      const requests = server.requests.length
      for (let round = 0; round < 20; round++) {
        server.put(pod(`unseen-${round}`))
        let missingMs = 0
        let reportedAgeMs = Infinity
        for (; missingMs < 400_000 && reflector.store.size < round + 2; missingMs += 1_000) {
          reportedAgeMs = reflector.lastEventAgeMs()
          await clock.advance(1_000)
        }
        // Right before the change was found, the reported age was correct.
        expect(reportedAgeMs).toBeGreaterThanOrEqual(missingMs - 1_000)
        expectEqual(reflector, server)
        // The read has just completed.
        expect(reflector.lastEventAgeMs()).toBeLessThan(2_000)
        expect(missingMs).toBeLessThanOrEqual(boundMs)
      }
      expect(reflector.stats().relists.get('idle')).toBe(20)
      expect(server.requests.length - requests).toBeLessThanOrEqual(60)
      await reflector[Symbol.asyncDispose]()
    },
  )

  test.for([
    { it: 'stays open', cutMs: undefined },
    { it: 'is cut every minute', cutMs: 60_000 },
  ])(
    'on a server without bookmarks, relists a quiet collection whose watch $it before two minutes pass',
    async ({ cutMs }) => {
      const server = listWatchServer({ hasWatchList: false })
      server.put(pod('a'))
      const { clock, reflector } = start(server)
      await clock.settle()
      let greatestMs = 0
      for (let seconds = 1; seconds <= 3_600; seconds++) {
        await clock.advance(1_000)
        greatestMs = Math.max(greatestMs, reflector.lastEventAgeMs())
        if (cutMs !== undefined && (seconds * 1_000) % cutMs === 0) server.endWatches()
      }
      expect(greatestMs).toBeGreaterThan(89_000)
      expect(greatestMs).toBeLessThanOrEqual(cutMs === undefined ? 106_000 : 121_000)
      expect(server.requests.length).toBeLessThan(120)
      expect(reflector.failure()).toBeUndefined()
      await reflector[Symbol.asyncDispose]()
    },
  )

  test('after minutes without a server, relists a quiet collection within seconds', async () => {
    let isGone = false
    const server = listWatchServer({ fault: () => (isGone ? { name: 'gone', answer: refused } : undefined) })
    server.put(pod('a'))
    const { clock, reflector } = start(server)
    await clock.advance(2_000)
    isGone = true
    server.breakWatches()
    await clock.advance(200_000)
    expect(reflector.lastEventAgeMs()).toBeGreaterThanOrEqual(200_000)
    isGone = false
    await clock.advance(10_000)
    expect(reflector.lastEventAgeMs()).toBeLessThan(10_000)
    expect(reflector.stats().relists.get('idle')).toBe(1)
    await reflector[Symbol.asyncDispose]()
  })

  test('treats a resource that the server does not serve as empty, and finds it once it is served', async () => {
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

  test.for<readonly [it: string, answer: Answer]>([
    ['a server that is not there', refused],
    ['HTTP 503', unwell(503)],
    ['HTTP 429 with Retry-After', unwell(429)],
  ])('syncs within seconds of the end of an outage at its start: %s', async ([name, answer]) => {
    for (const downMs of [5_000, 15_000, 27_000, 60_000]) {
      let isWell = false
      const server = listWatchServer({ fault: () => (isWell ? undefined : { name, answer }) })
      server.put(pod('a'))
      const { clock, reflector } = start(server)
      await clock.advance(downMs)
      expect(server.requests.length, `tries in ${downMs} ms`).toBeGreaterThan(downMs / 10_000)
      expect(server.requests.length, `tries in ${downMs} ms`).toBeLessThan(downMs / 1_000)
      expect(reflector.hasSynced()).toBe(false)
      isWell = true
      await clock.advance(5_000)
      expect(reflector.hasSynced(), `synced after ${downMs} ms without a server`).toBe(true)
      expectEqual(reflector, server)
      await reflector[Symbol.asyncDispose]()
    }
  })

  test('keeps retrying a watch through 500s, then relists after half a minute', async () => {
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

  test('through minutes of 500s, retries watches, relists now and then, and catches up within seconds of the end', async () => {
    let isDown = false
    const answer = json(500, 'InternalError')
    const server = listWatchServer({ fault: () => (isDown ? { name: '500', answer } : undefined) })
    server.put(pod('a'))
    const { clock, reflector, lists } = start(server)
    await clock.advance(2_000)
    isDown = true
    server.endWatches()
    await clock.advance(300_000)
    const tries = server.requests.length
    expect(tries).toBeGreaterThan(60)
    expect(tries).toBeLessThan(200)
    expect(lists()).toBeGreaterThan(3)
    expect(lists()).toBeLessThan(15)
    server.put(pod('b'))
    isDown = false
    await clock.advance(5_000)
    expectEqual(reflector, server)
    await reflector[Symbol.asyncDispose]()
  })

  test.for([
    { it: 'has never been read', spoiled: undefined },
    { it: 'cannot be trusted any more', spoiled: '{"type":"ADDED",,}\n' },
  ])('while a collection $it, does not watch after 500s before it has read everything', async ({ spoiled }) => {
    const failing = json(500, 'InternalError')
    const spoiling = streamed(spoiled ?? '', 'hang')
    let isDown = spoiled === undefined
    let watches = 0
    const server = listWatchServer({
      fault: ({ path }) => {
        if (isDown) return { name: '500', answer: failing }
        if (spoiled === undefined || !path.includes('watch=1') || ++watches !== 2) return undefined
        isDown = true
        return { name: 'spoiled', answer: spoiling }
      },
    })
    server.put(pod('a'))
    server.put(pod('b'))
    const { clock, reflector } = start(server)
    await clock.advance(2_000)
    // The spoiled watch delivers none of this.
    server.remove('default/b')
    server.compact()
    server.endWatches()
    await clock.advance(300_000)
    const before = server.requests.length
    isDown = false
    await clock.advance(61_000)
    expect(isRead(server.requests[before] ?? { method: 'GET', path: 'watch=1', headers: {} })).toBe(true)
    expect(reflector.hasSynced()).toBe(true)
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

  test.for([
    { it: 'a selector that the server does not know', fault: json(400, 'BadRequest') },
    { it: 'a stall', fault: scriptedHandler([], () => ({ kind: 'stream', chunks: [], ending: 'hang' })).handle },
  ])('$it of one collection does not disable WatchList for the others', async ({ fault }) => {
    const server = listWatchServer({
      fault: ({ path }) =>
        path.includes('bad') && path.includes('watch=1') ? { name: 'bad', answer: fault } : undefined,
    })
    server.put(pod('a'))
    const clock = fakeClock()
    const world = { log: silentLogger, clock, random: () => 0.5, userAgent: 'test' }
    await using cluster = connectCluster({ handler: server.handle, ...world })
    const bad = cluster.reflect(resourceRefs.pods, { labelSelector: 'bad' })
    await clock.advance(40_000)
    expect(bad.stats()).toMatchObject({ watchLists: 0 })
    expect(bad.stats().lists).toBeGreaterThan(0)
    const good = cluster.reflect(resourceRefs.pods)
    await clock.settle()
    expect(good.stats()).toMatchObject({ watchLists: 1, lists: 0 })
  })

  test('retries unavailable credentials every half minute, not every second', async () => {
    let attempts = 0
    const answer: Answer = () => {
      attempts += 1
      const place = { file: '/kubeconfig', key: 'users[0].user.exec' }
      return Promise.reject(new KubeconfigError('run the plugin', place, { code: 'BERTH_KUBECONFIG_CREDENTIALS' }))
    }
    let isBroken = true
    const server = listWatchServer({ fault: () => (isBroken ? { name: 'plugin', answer } : undefined) })
    server.put(pod('a'))
    const { clock, reflector } = start(server)
    await clock.advance(600_000)
    expect(attempts).toBeLessThan(25)
    expect(reflector.failure()).toMatchObject({ code: 'BERTH_KUBECONFIG_CREDENTIALS' })
    isBroken = false
    await clock.advance(61_000)
    expectEqual(reflector, server)
    await reflector[Symbol.asyncDispose]()
  })

  test('discards its resource version if the server cannot serve it, and requests the newest state', async () => {
    const before = listWatchServer({ hasWatchList: false })
    for (const name of ['a', 'b', 'c']) before.put(pod(name))
    // The server is restored from a backup: the reflector's version is too large for it.
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
})
