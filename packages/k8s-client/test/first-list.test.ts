import { fakeClock } from '@berth/clock/testing'
import { expect, test } from 'vitest'
import { listWatchServer } from '../src/testing.ts'
import { expectEqual, pod, start } from './reflector-fixture.ts'

test('stores the objects of a first LIST while they arrive, and removes them if the LIST breaks and they are gone', async () => {
  let lists = 0
  const server = listWatchServer({
    fault: ({ path }) => {
      if (path.includes('watch=1') || ++lists > 1) return undefined
      const body = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        const text = Buffer.concat(await Array.fromAsync(chunks)).toString('utf8')
        yield Buffer.from(text.slice(0, text.indexOf('"b"')))
        server.remove('default/a')
        throw new Error('the connection broke')
      }
      return { name: 'a broken first list', body }
    },
  })
  server.put(pod('a'))
  server.put(pod('b'))
  const { clock, reflector, delivered } = start(server, fakeClock(), { isLarge: true })
  await clock.settle()
  expect(delivered).toEqual(['+a'])
  expect(reflector.hasSynced()).toBe(false)
  await clock.advance(3_000)
  expect(delivered).toEqual(['+a', '-a', '+b'])
  expect(reflector.hasSynced()).toBe(true)
  expectEqual(reflector, server)
  await reflector[Symbol.asyncDispose]()
})
