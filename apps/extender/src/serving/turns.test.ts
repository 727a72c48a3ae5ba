import { fakeClock } from '@berth/clock/testing'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const GAP_MS = 10

test('the first turn is given at once, and the groups alternate with a gap between turns', async () => {
  const clock = fakeClock()
  const turns = createTurns(GAP_MS, clock)
  const given: string[] = []
  const take = (name: string, group: object): void =>
    void turns.take(group, () => undefined).then(() => given.push(`${name} at ${clock.monotonic()}`))
  const [many, one] = [{}, {}]
  for (const name of ['a', 'b', 'c']) take(name, many)
  take('other', one)
  await clock.advance(100)
  expect(given).toEqual(['a at 0', 'b at 10', 'other at 20', 'c at 30'])
  take('later', one)
  await clock.advance(0)
  expect(given.at(-1)).toBe('later at 100')
})

test('one that leaves uses no turn', async () => {
  const clock = fakeClock()
  const turns = createTurns(GAP_MS, clock)
  const group = {}
  const leaving = Promise.withResolvers<() => void>()
  const takes = [
    turns.take(group, () => undefined),
    turns.take(group, leaving.resolve),
    turns.take(group, () => undefined),
  ]
  ;(await leaving.promise)()
  await takes[1]
  await clock.advance(GAP_MS)
  await takes[2]
  expect(clock.monotonic()).toBe(GAP_MS)
})
