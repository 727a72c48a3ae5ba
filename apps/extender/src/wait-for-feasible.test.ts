import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { createWaitBudget, waitForFeasible } from './wait-for-feasible.ts'

/** Runs waitForFeasible with results that change at the given times; each change is an event. */
async function run({
  answers,
  limitMs,
}: {
  readonly answers: readonly [atMs: number, answer: string][]
  readonly limitMs: number
}) {
  const clock = fakeClock()
  const listeners = new Set<() => void>()
  let evaluations = 0
  const startMs = clock.monotonic()
  const known = () => answers.filter(([atMs]) => clock.monotonic() - startMs >= atMs)
  for (const [atMs] of answers) {
    if (atMs > 0) clock.setTimer(atMs, () => listeners.forEach((listener) => listener()))
  }
  const done = waitForFeasible({
    evaluate: () => {
      evaluations += 1
      return known().at(-1)?.[1] ?? ''
    },
    isFeasible: (answer) => answer === 'fits',
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    budget: createWaitBudget(clock),
    clock,
    limitMs,
  }).then((answer) => ({ answer, evaluations, afterMs: clock.monotonic() - startMs }))
  await clock.advance(1000)
  expect(listeners.size).toBe(0)
  return done
}

describe('waitForFeasible', () => {
  test.for([
    {
      it: 'returns a feasible result at once',
      answers: [[0, 'fits']],
      limitMs: 50,
      says: { answer: 'fits', evaluations: 1, afterMs: 0 },
    },
    {
      it: 'returns a result that becomes feasible within the limit right after the event',
      answers: [
        [0, 'full'],
        [12, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'fits', evaluations: 2, afterMs: 13 },
    },
    {
      it: 'evaluates changes at the same time once',
      answers: [
        [0, 'full'],
        [12, 'full'],
        [12, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'fits', evaluations: 2, afterMs: 13 },
    },
    {
      it: 'does not evaluate again without a cluster change',
      answers: [[0, 'full']],
      limitMs: 50,
      says: { answer: 'full', evaluations: 1, afterMs: 50 },
    },
    {
      it: 'keeps waiting after a change that does not help, up to the limit',
      answers: [
        [0, 'full'],
        [7, 'full still'],
        [90, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'full still', evaluations: 2, afterMs: 50 },
    },
    {
      it: 'returns the first result when the limit is 0',
      answers: [
        [0, 'full'],
        [1, 'fits'],
      ],
      limitMs: 0,
      says: { answer: 'full', evaluations: 1, afterMs: 0 },
    },
  ] satisfies { it: string; answers: [number, string][]; limitMs: number; says: object }[])(
    '$it',
    async ({ answers, limitMs, says }) => {
      expect(await run({ answers, limitMs })).toEqual(says)
    },
  )
})

describe('createWaitBudget', () => {
  test('delays 20 unschedulable attempts per second by less than 2 ms each on average', async () => {
    const clock = fakeClock()
    const budget = createWaitBudget(clock)
    let delayedMs = 0
    const attempts = 20 * 600
    for (let i = 0; i < attempts; i++) {
      delayedMs += budget.take(50)
      await clock.advance(50)
    }
    expect(delayedMs).toBeGreaterThan(0)
    expect(delayedMs / attempts).toBeLessThan(2)
  })

  test('allows the whole delay after a quiet time, and gets back what was not used', async () => {
    const clock = fakeClock()
    const budget = createWaitBudget(clock)
    expect([1, 2, 3, 4].map(() => budget.take(50))).toEqual([50, 50, 50, 50])
    expect(budget.take(50)).toBe(0)
    budget.giveBack(49)
    await clock.advance(50)
    expect(budget.take(50)).toBe(50)
    await clock.advance(60_000)
    expect(budget.take(50)).toBe(50)
  })
})
