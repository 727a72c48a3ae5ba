import { pause } from '@berth/clock'
import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { listWatchServer, type ListWatchServer } from '../src/testing.ts'
import { expectEqual, pod, start } from './reflector-fixture.ts'

describe('a reflector that catches up', () => {
  test.for([{ isLarge: false }, { isLarge: true }])(
    'catches up with the collection when the watch is behind (large: $isLarge)',
    async ({ isLarge }) => {
      let isWatchBehind = true
      const isBehind = (path: string): boolean =>
        isWatchBehind && path.includes('watch=1') && !path.includes('sendInitialEvents')
      // A WatchList goes on with changes, so its frames after the initial ones are dropped, too.
      const drop = async function* (chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) {
          if (isBehind(path) || (isWatchBehind && new TextDecoder().decode(chunk).includes('late'))) continue
          yield chunk
        }
      }
      const server = listWatchServer({
        fault: () => ({ name: 'stale cache', body: (chunks, { path }) => drop(chunks, path) }),
      })
      for (let i = 0; i < 501; i++) server.put(pod(`early-${i}`))
      const { clock, reflector } = start(server, fakeClock(), { isLarge })
      await clock.advance(0)
      await reflector.catchUp()
      expect(reflector.stats().relists).toEqual(new Map([['start', 1]]))
      server.put(pod('late'))
      await clock.settle()
      expect(reflector.store.has('default/late')).toBe(false)
      let isCurrent = false
      const catchingUp = reflector.catchUp().then(() => (isCurrent = true))
      await clock.advance(400)
      expect(isCurrent).toBe(false)
      isWatchBehind = false
      await clock.advance(400)
      await catchingUp
      expectEqual(reflector, server)
      expect(reflector.stats().relists).toEqual(
        new Map([
          ['start', 1],
          ['behind', 1],
        ]),
      )
      expect(server.requests.filter(({ path }) => path.endsWith('?limit=1'))).toHaveLength(2)
    },
  )

  test('reads few objects again soon instead of waiting for a bookmark', async () => {
    const withoutLate = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) if (!new TextDecoder().decode(chunk).includes('late')) yield chunk
    }
    const server: ListWatchServer = listWatchServer({
      fault: (request) =>
        request === server.requests[0] ? { name: 'silent watch', body: (chunks) => withoutLate(chunks) } : undefined,
    })
    server.put(pod('early'))
    const { clock, reflector } = start(server)
    await clock.settle()
    server.put(pod('late'))
    const catchingUp = reflector.catchUp()
    await clock.advance(200)
    await catchingUp
    expectEqual(reflector, server)
    expect(reflector.stats().relists.get('behind')).toBe(1)
  })

  test('catches up when the new read of the collection takes longer than the watch is waited for', async () => {
    const clock = fakeClock()
    const { signal } = new AbortController()
    let isWatchBehind = true
    const delay = async function* (chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
      if (!isWatchBehind && path.includes('sendInitialEvents')) await pause(clock, 800, signal)
      for await (const chunk of chunks) {
        if (isWatchBehind && new TextDecoder().decode(chunk).includes('late')) continue
        yield chunk
      }
    }
    const server = listWatchServer({
      fault: () => ({ name: 'slow WatchList', body: (chunks, { path }) => delay(chunks, path) }),
    })
    server.put(pod('early'))
    const { reflector } = start(server, clock)
    await clock.settle()
    server.put(pod('late'))
    await clock.settle()
    isWatchBehind = false
    let isCurrent = false
    const catchingUp = reflector.catchUp().then(() => (isCurrent = true))
    await clock.advance(3_000)
    expect(isCurrent).toBe(true)
    await catchingUp
    expectEqual(reflector, server)
    expect(reflector.stats().relists.get('behind')).toBe(1)
  })

  test('catches up without a new read when the watch delivers the changes in time', async () => {
    const server = listWatchServer()
    const { clock, reflector } = start(server)
    await clock.settle()
    server.put(pod('a'))
    const catchingUp = reflector.catchUp()
    await clock.advance(100)
    await catchingUp
    expect(reflector.stats()).toMatchObject({ watchLists: 1, lists: 0 })
  })

  test.for([
    { it: 'a WatchList', isLarge: false, hasWatchList: true, requests: 0 },
    { it: 'a LIST of the newest state', isLarge: true, hasWatchList: true, requests: 0 },
    { it: 'a LIST of any state that the server has', isLarge: false, hasWatchList: false, requests: 1 },
  ])('$it that began in time needs $requests requests to catch up', async ({ isLarge, hasWatchList, requests }) => {
    const server = listWatchServer({ hasWatchList })
    server.put(pod('a'))
    const clock = fakeClock()
    const beforeMs = clock.monotonic()
    await clock.advance(10)
    const { reflector } = start(server, clock, { isLarge })
    await clock.advance(10)
    const before = server.requests.length
    await reflector.catchUp({ sinceMs: beforeMs })
    expect(server.requests.length - before).toBe(requests)
    await reflector.catchUp({ sinceMs: clock.monotonic() })
    expect(server.requests.length - before).toBe(requests + 1)
  })

  test('a read that continues from the stored version does not show what was new when it began', async () => {
    const server = listWatchServer()
    server.put(pod('a'))
    const { clock, reflector } = start(server, fakeClock(), { isLarge: true })
    await clock.settle()
    await clock.advance(10)
    const sinceMs = clock.monotonic()
    server.breakWatches()
    server.compact()
    await clock.advance(5_000)
    expect(reflector.stats().lists).toBe(2)
    const before = server.requests.length
    await reflector.catchUp({ sinceMs })
    expect(server.requests.length - before).toBe(1)
  })

  test('stops catching up when it is disposed or no longer needed', async () => {
    const server = listWatchServer()
    const { clock, reflector } = start(server)
    await clock.settle()
    await expect(reflector.catchUp({ signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
    const disposing = reflector[Symbol.asyncDispose]()
    await expect(reflector.catchUp()).rejects.toMatchObject({ code: 'BERTH_API_CLOSED' })
    await disposing
  })
})
