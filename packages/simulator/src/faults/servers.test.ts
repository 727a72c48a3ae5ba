import { createTestClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import {
  callJson,
  createLaggingServer,
  createServerProcess,
  createTestServer,
  openWatch,
  parseRecording,
  recordExchanges,
  replayExchanges,
  type TestServer,
} from '../testing.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

async function make(server: Pick<TestServer, 'handle'>, name: string): Promise<string> {
  const { body } = await callJson(server.handle, 'POST', MAPS, { body: { metadata: { name } } })
  return body.metadata.resourceVersion
}

const namesAt = async (server: Pick<TestServer, 'handle'>, query = ''): Promise<readonly string[]> =>
  ((await callJson(server.handle, 'GET', `${MAPS}${query}`)).body.items ?? []).map(
    (map: { metadata: { name: string } }) => map.metadata.name,
  )

describe('a lagging server', () => {
  test('answers reads with old data, processes writes at once, and catches up', async () => {
    const server = createTestServer()
    await make(server, 'before')
    using lagging = createLaggingServer(server, { lagMs: 2_000, random: Math.random })
    expect(await namesAt(lagging)).toEqual(['before'])
    const version = await make(lagging, 'new')
    expect([await namesAt(server), await namesAt(lagging)]).toEqual([['before', 'new'], ['before']])
    const ahead = await callJson(
      lagging.handle,
      'GET',
      `${MAPS}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`,
    )
    expect(ahead.body).toMatchObject({ code: 504, reason: 'Timeout' })
    await server.clock.run(2_000)
    expect(await namesAt(lagging)).toEqual(['before', 'new'])
    expect(lagging.revision).toBe(server.store.revision)
    expect(lagging.staleReads).toBe(2)
  })

  test('sends watch events late and in order, also when the lag changes', async () => {
    const server = createTestServer()
    using lagging = createLaggingServer(server, { lagMs: 5_000, random: Math.random })
    using watch = await openWatch({ ...server, handle: lagging.handle }, `${MAPS}?watch=1`)
    await make(server, 'first')
    lagging.setLag(0)
    await make(server, 'second')
    let seen = 0
    const reading = (async () => {
      const names = [(await watch.next()).object.metadata.name, (await watch.next()).object.metadata.name]
      seen = names.length
      return names
    })()
    await server.clock.run(4_999)
    expect(seen).toBe(0)
    await server.clock.run(1)
    expect(await reading).toEqual(['first', 'second'])
  })
})

describe('a killed server', () => {
  test('breaks open connections, refuses new ones, and starts again without history', async () => {
    const server = createTestServer()
    const process = createServerProcess(server)
    const version = await make(process, 'kept')
    const response = await process.handle({
      method: 'GET',
      path: `${MAPS}?watch=1&resourceVersion=${version}`,
      headers: {},
    })
    const reading = response.body[Symbol.asyncIterator]().next()
    process.kill()
    await expect(reading).rejects.toThrow('socket hang up')
    await expect(namesAt(process)).rejects.toThrow('ECONNREFUSED')
    expect([process.isRunning, process.broken]).toEqual([false, 2])
    await make(server, 'meanwhile')
    process.start()
    expect(await namesAt(process)).toEqual(['kept', 'meanwhile'])
    using late = await openWatch({ ...server, handle: process.handle }, `${MAPS}?watch=1&resourceVersion=${version}`)
    expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
  })

  test('starts with the data of an older revision, and notifies subscribers of the store', async () => {
    const server = createTestServer()
    const process = createServerProcess(server)
    const version = Number(await make(process, 'old'))
    await callJson(process.handle, 'DELETE', `${MAPS}/old`)
    await make(process, 'lost')
    const heard: string[] = []
    server.store.subscribe((storage, { type, key }) => heard.push(`${type} ${storage} ${key}`))
    process.kill()
    process.start({ atRevision: version })
    expect(await namesAt(process)).toEqual(['old'])
    expect(server.store.revision).toBe(version)
    expect(heard).toEqual(['DELETED /configmaps default/lost', 'ADDED /configmaps default/old'])
    expect(Number(await make(process, 'again'))).toBe(version + 1)
    expect(() => process.start({ atRevision: 1 })).toThrow(RangeError)
  })
})

describe('a recording', () => {
  test('replays lists and watches with their delays', async () => {
    const server = createTestServer()
    const lines: string[] = []
    const recorded = { handle: recordExchanges(server.handle, server.clock, (line) => lines.push(line)) }
    await make(server, 'a')
    expect(await namesAt(recorded)).toEqual(['a'])
    const watch = await recorded.handle({ method: 'GET', path: `${MAPS}?watch=1&timeoutSeconds=30`, headers: {} })
    const reading = (async () => {
      for await (const _ of watch.body) continue
    })()
    await server.clock.run(10_000)
    await make(server, 'b')
    await server.clock.run(30_000)
    await reading

    const clock = createTestClock()
    const replay = replayExchanges(parseRecording(lines.join('')), clock)
    const listed = namesAt(replay, '?resourceVersion=0')
    await clock.run(0)
    expect(await listed).toEqual(['a'])
    const times: [seconds: number, names: readonly string[]][] = []
    const answer = replay.handle({ method: 'GET', path: `${MAPS}?watch=true&timeoutSeconds=99`, headers: {} })
    const following = (async () => {
      for await (const chunk of (await answer).body) {
        const frames = Buffer.from(chunk).toString().trim().split('\n')
        times.push([clock.monotonic() / 1000, frames.map((frame) => JSON.parse(frame).object.metadata.name)])
      }
    })()
    await clock.run(60_000)
    await following
    expect(times).toEqual([
      [0, ['a']],
      [10, ['b']],
    ])
    expect(replay.remaining).toBe(0)
  })

  test('reports the number of an invalid line', () => {
    expect(() => parseRecording('{"atMs":0,"id":0,"kind":"request","method":"GET","path":"/"}\nnonsense')).toThrow(
      'line 2',
    )
    expect(() => parseRecording('{"atMs":0}')).toThrow('line 1 of the recording: not a recorded line')
  })

  test('breaks requests after its end, and sends no more watch events', async () => {
    const clock = createTestClock()
    const replay = replayExchanges([], clock)
    await expect(namesAt(replay)).rejects.toThrow('nothing is recorded for GET')
    const abort = new AbortController()
    const { body } = await replay.handle({ method: 'GET', path: `${MAPS}?watch=1`, headers: {}, signal: abort.signal })
    const next = body[Symbol.asyncIterator]().next()
    abort.abort()
    await expect(next).rejects.toThrow('gave up')
  })
})
