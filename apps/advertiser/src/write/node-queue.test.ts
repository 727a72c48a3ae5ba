import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { createNodeQueue } from './node-queue.ts'

function queueOf(concurrency: number) {
  const clock = fakeClock()
  const started: string[] = []
  const ends = new Map<string, () => void>()
  let running = 0
  let most = 0
  const queue = createNodeQueue({
    clock,
    concurrency,
    async work(name) {
      started.push(name)
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => void ends.set(name, resolve))
      running--
    },
  })
  return { clock, queue, started, most: () => most, end: (name: string) => ends.get(name)?.() }
}

describe('createNodeQueue', () => {
  test('processes a name once however often it is added, and never exceeds the concurrency', async () => {
    const { queue, started, end, clock, most } = queueOf(2)
    for (const name of ['a', 'b', 'c', 'a', 'b', 'c']) queue.add(name)
    expect(started).toEqual(['a', 'b'])
    end('a')
    end('b')
    await clock.settle()
    // A name that was added while it ran runs again, after the waiting names.
    expect(started).toEqual(['a', 'b', 'c', 'a'])
    end('c')
    end('a')
    await clock.settle()
    end('b')
    await queue.settled()
    expect([started, most()]).toEqual([['a', 'b', 'c', 'a', 'b'], 2])
  })

  test('keeps the earlier of two delays, and runs at once without a delay', async () => {
    const { queue, started, clock, end } = queueOf(1)
    queue.add('a', 5_000)
    queue.add('a', 1_000)
    queue.add('a', 9_000)
    await clock.advance(999)
    expect(started).toEqual([])
    await clock.advance(1)
    expect(started).toEqual(['a'])
    end('a')
    await clock.settle()
    queue.add('b', 60_000)
    queue.add('b')
    expect(started).toEqual(['a', 'b'])
    expect(clock.pendingTimers()).toBe(0)
  })

  test('drops waiting names on close and resolves when running work has ended', async () => {
    const { queue, started, clock, end } = queueOf(1)
    queue.add('a')
    queue.add('b')
    queue.add('c', 1_000)
    const closed = queue.close()
    end('a')
    await closed
    queue.add('d')
    await clock.advance(2_000)
    expect(started).toEqual(['a'])
  })
})
