import { fakeClock } from '@berth/clock/testing'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { silentLogger, type KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, resourceRefs } from '../src/index.ts'
import { listWatchServer, scriptedHandler, type ListWatchServer } from '../src/testing.ts'
import { expectEqual, isRead, pod, refused, start } from './reflector-fixture.ts'

describe('a reflector', () => {
  test('reads by WatchList, then delivers every change with the old and the new object', async () => {
    const server = listWatchServer()
    server.put(pod('a'))
    const { clock, reflector, delivered } = start(server)
    await clock.settle()
    expect(reflector.hasSynced()).toBe(true)
    server.put(pod('b'))
    server.put(pod('a'))
    server.remove('default/b')
    await clock.settle()
    expect(delivered).toEqual(['+a', '+b', '~a 101>103', '-b'])
    expect(reflector.stats()).toMatchObject({ watchLists: 1, lists: 0, watches: 1 })
    await reflector[Symbol.asyncDispose]()
    expect(server.openWatches()).toBe(0)
  })

  test('uses paged LISTs for the rest of the process once WatchList is refused', async () => {
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

  const reads = (server: Pick<ListWatchServer, 'requests'>): readonly string[] =>
    server.requests.filter((request) => isRead(request)).map(({ path }) => path)

  test('reads a collection declared large by one LIST of the newest state, then watches', async () => {
    const server = listWatchServer()
    for (let i = 0; i < 1201; i++) server.put(pod(`p${i}`))
    const { clock, reflector } = start(server, fakeClock(), { isLarge: true })
    await clock.advance(0)
    expect(reads(server)).toEqual(['/api/v1/pods'])
    // Bulk requests do not use the connection of binds and leases.
    expect(server.requests.every(({ isBulk }) => isBulk === true)).toBe(true)
    server.put(pod('late'))
    await clock.settle()
    expectEqual(reflector, server)
    expect(reflector.stats()).toMatchObject({ lists: 1, watchLists: 0, watches: 1 })
  })

  test('relists thousands of objects by one LIST, and few objects by a WatchList', async () => {
    const server = listWatchServer()
    for (let i = 0; i < 2_000; i++) server.put(pod(`p${i}`))
    const { clock, reflector } = start(server)
    const settle = async (): Promise<void> => {
      await clock.advance(5_000)
      for (let turns = 0; turns < 5; turns++) await clock.settle()
    }
    const loseWatches = async (): Promise<void> => {
      server.breakWatches()
      server.compact()
      await settle()
    }
    await settle()
    expect(reflector.stats()).toMatchObject({ lists: 0, watchLists: 1 })
    await loseWatches()
    expect(reflector.stats()).toMatchObject({ lists: 1, watchLists: 1 })
    for (let i = 0; i < 1_999; i++) server.remove(`default/p${i}`)
    await settle()
    await loseWatches()
    expect(reflector.stats()).toMatchObject({ lists: 1, watchLists: 2 })
    expectEqual(reflector, server)
  })

  test.for([true, false])('a relist keeps the stored objects that did not change (one LIST: %s)', async (isLarge) => {
    const projected: unknown[] = []
    const server = listWatchServer()
    for (const name of ['a', 'b', 'c']) server.put(pod(name))
    const { clock, reflector } = start(server, fakeClock(), {
      isLarge,
      project(object) {
        projected.push(object.metadata?.name)
        return { metadata: { ...object.metadata, name: object.metadata?.name ?? '' } }
      },
    })
    await clock.settle()
    const before = new Map(reflector.store)
    expect(projected).toEqual(['a', 'b', 'c'])
    server.breakWatches()
    server.put(pod('b'))
    server.compact()
    await clock.advance(5_000)
    expect(reflector.stats().relists.get('expired')).toBe(1)
    expect(projected.slice(3)).toEqual(['b'])
    for (const key of ['default/a', 'default/c']) expect(reflector.store.get(key)).toBe(before.get(key))
    expectEqual(reflector, server)
  })

  test('uses a WatchList after a LIST of everything failed, and a LIST again at the next relist', async () => {
    let lists = 0
    const server = listWatchServer({
      fault: ({ path }) => (path === '/api/v1/pods' && ++lists === 1 ? { name: 'cut', answer: refused } : undefined),
    })
    server.put(pod('a'))
    const { clock, reflector } = start(server, fakeClock(), { isLarge: true })
    await clock.advance(3_000)
    expect(reads(server)).toEqual(['/api/v1/pods', expect.stringContaining('sendInitialEvents')])
    server.breakWatches()
    server.compact()
    await clock.advance(5_000)
    expect(reads(server)).toHaveLength(3)
    expect(reads(server)[2]).toBe('/api/v1/pods?resourceVersion=101')
    expectEqual(reflector, server)
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
    const paths = server.requests.map(({ path }) => path).filter((path) => !path.includes('watch=1'))
    expect(paths).toHaveLength(3)
    expect(paths[2]).not.toContain('limit=')
    expect(paths[2]).not.toContain('resourceVersion=')
  })

  test('runs for ten minutes on bookmarks alone: no relist, and the version advances', async () => {
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
    const { clock, reflector, delivered } = start(server)
    await clock.settle()
    server.breakWatches()
    server.remove('default/b')
    server.compact()
    await clock.advance(5_000)
    expect(delivered).toEqual(['+a', '+b', '-b'])
    expect(reflector.stats().relists.get('expired')).toBe(1)
    expectEqual(reflector, server)
  })

  test('delivers a re-created object of the same name as a deletion and an addition', async () => {
    const server = listWatchServer()
    server.put(pod('a', 'uid-1'))
    const { clock, delivered } = start(server)
    await clock.settle()
    server.breakWatches()
    server.remove('default/a')
    server.put(pod('a', 'uid-2'))
    server.compact()
    await clock.advance(5_000)
    expect(delivered).toEqual(['+a', '-a', '+a'])
  })

  test('skips and counts an object that cannot be read, and continues with the others', async () => {
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
    // A relist cannot read it either: the last good state stays, and the object does not count as deleted.
    server.compact()
    server.breakWatches()
    await clock.advance(5_000)
    expect([...reflector.store.keys()]).toEqual(['default/good', 'default/bad', 'default/late'])
    server.remove('default/bad')
    await clock.settle()
    expect(reflector.store.has('default/bad')).toBe(false)
  })

  test('logs a handler that throws, with the object, and still serves the others', async () => {
    const server = listWatchServer()
    const logged: unknown[] = []
    const { clock, reflector } = start(
      server,
      fakeClock(),
      {},
      {
        ...silentLogger,
        error: ({ resource, object, err }) => void logged.push([resource, object, String(err)]),
      },
    )
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
    expect(logged).toEqual([
      ['pods', 'default/a', 'Error: handler'],
      ['pods', 'default/b', 'Error: handler'],
    ])
    expect(reflector.store.size).toBe(2)
  })

  test('delivers the same object by LIST, by WatchList and as a change', async () => {
    const server = listWatchServer()
    // With the fields that an API server's JSON always has.
    const complete = (color: string) => ({ ...pod('a', 'uid-a', { color }), spec: { containers: null }, status: {} })
    server.put(complete('red'))
    const [byList, byWatchList] = [start(server, fakeClock(), { isLarge: true }), start(server)]
    await byList.clock.settle()
    await byWatchList.clock.settle()
    const expected = server.objects().get('default/a')
    expect(byList.reflector.stats().lists).toBe(1)
    expect(byWatchList.reflector.stats().watchLists).toBe(1)
    for (const { reflector } of [byList, byWatchList]) {
      expect(reflector.store.get('default/a')).toEqual(expected)
      expect(reflector.store.get('default/a')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' })
    }
    server.put(complete('blue'))
    await byList.clock.settle()
    expect(byList.reflector.store.get('default/a')).toEqual(server.objects().get('default/a'))
  })

  test('every watch requests bookmarks and a random timeout of five to ten minutes', async () => {
    const seconds = new Set<number>()
    for (const random of [0, 0.25, 0.999]) {
      const server = listWatchServer()
      const clock = fakeClock()
      const world = { log: silentLogger, clock, random: () => random, userAgent: 'test' }
      await using cluster = connectCluster({ handler: server.handle, ...world })
      cluster.reflect(resourceRefs.pods)
      await clock.settle()
      server.endWatches()
      await clock.advance(1_000)
      const watches = server.requests.map(({ path }) => new URL(path, 'http://localhost').searchParams)
      expect(watches.length).toBeGreaterThanOrEqual(2)
      for (const query of watches) {
        expect(query.get('allowWatchBookmarks')).toBe('true')
        seconds.add(Number(query.get('timeoutSeconds')))
      }
    }
    expect([...seconds]).toEqual([300, 375, 600])
  })

  test('finds objects by custom indexes through additions, changes, deletions and relists', async () => {
    const server = listWatchServer()
    const teamOf = ({ metadata }: KubernetesObject): string => metadata?.labels?.['team'] ?? ''
    const { clock, reflector } = start(server, fakeClock(), {
      indexes: { team: (object) => (teamOf(object) === '' ? [] : [teamOf(object)]) },
    })
    const names = (team: string): readonly unknown[] =>
      reflector.byIndex('team', team).map(({ metadata }) => metadata?.name)
    server.put(pod('a', 'uid-a', { team: 'red' }))
    server.put(pod('b', 'uid-b', { team: 'red' }))
    server.put(pod('c'))
    await clock.settle()
    expect([names('red'), names('blue'), names('')]).toEqual([['a', 'b'], [], []])
    server.put(pod('a', 'uid-a', { team: 'blue' }))
    await clock.settle()
    expect([names('red'), names('blue')]).toEqual([['b'], ['a']])
    server.breakWatches()
    server.remove('default/b')
    server.compact()
    await clock.advance(5_000)
    expect([names('red'), names('blue')]).toEqual([[], ['a']])
    expect(() => reflector.byIndex('owner', 'x')).toThrow('there is no index "owner"')
  })

  test('delivers the stored objects and the sync to a late subscriber', async () => {
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

  test('ignores repeated events and delivers nothing twice', async () => {
    const server = listWatchServer({
      fault: (request) => (isRead(request) ? undefined : { name: 'repeat', body: repeated }),
    })
    server.put(pod('a'))
    const { clock, reflector, delivered } = start(server)
    await clock.settle()
    server.endWatches()
    await clock.settle()
    server.put(pod('b'))
    server.put(pod('a'))
    server.remove('default/b')
    await clock.settle()
    expect(delivered).toEqual(['+a', '+b', '~a 101>103', '-b'])
    expect(reflector.stats().relists.size).toBe(1)
  })

  test('a disposed reflector can be garbage-collected while its cluster lives on', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    // The test servers keep each request, and through its signal the reflector; so this handler is written out.
    const handler: ListWatchServer['handle'] = ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    const clock = fakeClock()
    const world = { log: silentLogger, clock, random: () => 0.5, userAgent: 'test' }
    await using cluster = connectCluster({ handler, ...world })
    const reflectAndDispose = async (): Promise<WeakRef<object>> => {
      const reflector = cluster.reflect(resourceRefs.pods)
      await clock.settle()
      await reflector[Symbol.asyncDispose]()
      return new WeakRef(reflector)
    }
    const past = await reflectAndDispose()
    for (let round = 0; round < 10 && past.deref() !== undefined; round++) {
      await clock.settle()
      collect()
    }
    expect(past.deref()).toBeUndefined()
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
