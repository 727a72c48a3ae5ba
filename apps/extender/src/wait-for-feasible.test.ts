import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { waitForFeasible } from './wait-for-feasible.ts'

/** A world whose generation and answer change at given times. */
async function ask({
  answers,
  limitMs,
}: {
  readonly answers: readonly [atMs: number, answer: string][]
  readonly limitMs: number
}) {
  const clock = fakeClock()
  let looks = 0
  const startMs = clock.monotonic()
  const known = () => answers.filter(([atMs]) => clock.monotonic() - startMs >= atMs)
  const done = waitForFeasible({
    evaluate: () => {
      looks += 1
      return known().at(-1)?.[1] ?? ''
    },
    isFeasible: (answer) => answer === 'fits',
    generation: () => known().length,
    clock,
    limitMs,
  }).then((answer) => ({ answer, looks, afterMs: clock.monotonic() - startMs }))
  await clock.advance(1000)
  return done
}

describe('a second look', () => {
  test.for([
    {
      what: 'is not taken where the first answer is welcome',
      answers: [[0, 'fits']],
      limitMs: 50,
      says: { answer: 'fits', looks: 1 },
    },
    {
      what: 'finds what was heard a moment later',
      answers: [
        [0, 'full'],
        [12, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'fits', looks: 2 },
    },
    {
      what: 'is taken only after news',
      answers: [[0, 'full']],
      limitMs: 50,
      says: { answer: 'full', looks: 1 },
    },
    {
      what: 'goes on after news that do not help, up to the limit',
      answers: [
        [0, 'full'],
        [7, 'full still'],
        [90, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'full still', looks: 2 },
    },
    {
      what: 'is not taken when it is switched off',
      answers: [
        [0, 'full'],
        [1, 'fits'],
      ],
      limitMs: 0,
      says: { answer: 'full', looks: 1 },
    },
  ] satisfies { what: string; answers: [number, string][]; limitMs: number; says: object }[])(
    '$what',
    async ({ answers, limitMs, says }) => {
      const result = await ask({ answers, limitMs })
      expect(result).toMatchObject(says)
      expect(result.afterMs).toBeLessThanOrEqual(limitMs + 5)
    },
  )
})
