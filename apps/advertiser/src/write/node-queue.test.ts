import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { createNodeQueue } from './node-queue.ts'
import type { NodePlan } from '../plan/plan-node.ts'
import { createWriteBackoff } from './write-backoff.ts'

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

describe('createWriteBackoff', () => {
  const plan = (units: string): NodePlan => ({
    nodeName: 'a',
    resourceVersion: '1',
    changes: [],
    conflicts: [],
    patch: { status: { capacity: { x: units }, allocatable: { x: units } } },
    owned: new Map(),
  })

  test('doubles the delay for each repeated write of the same values, up to one minute', () => {
    const backoff = createWriteBackoff()
    const delays: number[] = []
    let now = 0
    for (let write = 0; write < 10; write++) {
      const delay = backoff.delayMs(plan('4'), now)
      delays.push(delay)
      now += delay
      backoff.recordWrite(plan('4'), now)
    }
    expect(delays).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    expect(backoff.repeats('a')).toBe(10)
  })

  test('does not delay other values, or the same values after ten minutes', () => {
    const backoff = createWriteBackoff()
    for (let write = 0; write < 5; write++) backoff.recordWrite(plan('4'), write)
    expect(backoff.delayMs(plan('5'), 5)).toBe(0)
    expect(backoff.delayMs(plan('4'), 700_000)).toBe(0)
    backoff.recordWrite(plan('4'), 700_000)
    expect(backoff.repeats('a')).toBe(1)
    backoff.forget('a')
    expect(backoff.repeats('a')).toBe(0)
  })
})
