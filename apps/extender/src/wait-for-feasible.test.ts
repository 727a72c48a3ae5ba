import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { waitForFeasible } from './wait-for-feasible.ts'

/** Runs waitForFeasible with results that change at the given times. */
async function run({
  answers,
  limitMs,
}: {
  readonly answers: readonly [atMs: number, answer: string][]
  readonly limitMs: number
}) {
  const clock = fakeClock()
  let evaluations = 0
  const startMs = clock.monotonic()
  const known = () => answers.filter(([atMs]) => clock.monotonic() - startMs >= atMs)
  const done = waitForFeasible({
    evaluate: () => {
      evaluations += 1
      return known().at(-1)?.[1] ?? ''
    },
    isFeasible: (answer) => answer === 'fits',
    generation: () => known().length,
    clock,
    limitMs,
  }).then((answer) => ({ answer, evaluations, afterMs: clock.monotonic() - startMs }))
  await clock.advance(1000)
  return done
}

describe('waitForFeasible', () => {
  test.for([
    {
      it: 'returns a feasible result at once',
      answers: [[0, 'fits']],
      limitMs: 50,
      says: { answer: 'fits', evaluations: 1 },
    },
    {
      it: 'returns a result that becomes feasible within the limit',
      answers: [
        [0, 'full'],
        [12, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'fits', evaluations: 2 },
    },
    {
      it: 'does not evaluate again without a cluster change',
      answers: [[0, 'full']],
      limitMs: 50,
      says: { answer: 'full', evaluations: 1 },
    },
    {
      it: 'keeps waiting after a change that does not help, up to the limit',
      answers: [
        [0, 'full'],
        [7, 'full still'],
        [90, 'fits'],
      ],
      limitMs: 50,
      says: { answer: 'full still', evaluations: 2 },
    },
    {
      it: 'returns the first result when the limit is 0',
      answers: [
        [0, 'full'],
        [1, 'fits'],
      ],
      limitMs: 0,
      says: { answer: 'full', evaluations: 1 },
    },
  ] satisfies { it: string; answers: [number, string][]; limitMs: number; says: object }[])(
    '$it',
    async ({ answers, limitMs, says }) => {
      const result = await run({ answers, limitMs })
      expect(result).toMatchObject(says)
      expect(result.afterMs).toBeLessThanOrEqual(limitMs + 5)
    },
  )
})
