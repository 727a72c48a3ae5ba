import { expect, test } from 'vitest'
import type { Comparison } from './compare-schedulers.ts'
import { Totals } from './totals.ts'

const comparison = (verdict: Comparison['verdict'], more: Partial<Comparison> = {}): Comparison => ({
  verdict,
  neededFurtherRuns: false,
  leftBehind: [],
  ...more,
})

test('counts each verdict and names the seeds that are not equal', () => {
  const totals = new Totals()
  totals.restarts = 2
  totals.add(1, comparison('equal'))
  totals.add(2, comparison('different', { neededFurtherRuns: true }))
  totals.add(3, comparison('undecided'))
  totals.add(4, comparison('undecided', { neededFurtherRuns: true }))
  totals.addFailure(5)
  expect(totals.summary(12.3).split('\n')).toEqual([
    '5 histories in 12 s, 2 restarts.',
    '2 count: 1 equal, 1 different (seeds 2).',
    '2 do not count because kube-scheduler differs from itself, 1 of them only in a further run (seeds 3, 4).',
    '1 failed twice (seeds 5).',
    'Berth left a pod behind that fits a node in 0.',
  ])
})

test.for<[string, (totals: Totals) => void, boolean]>([
  [
    'equal and undecided histories',
    (totals) => [1, 2].forEach((seed) => totals.add(seed, comparison('undecided'))),
    false,
  ],
  ['a difference', (totals) => totals.add(1, comparison('different')), true],
  [
    'a pod left behind in an undecided history',
    (totals) => totals.add(1, comparison('undecided', { leftBehind: ['p: n'] })),
    true,
  ],
  ['a history that failed', (totals) => totals.addFailure(1), true],
])('has findings after %s', ([, change, expected]) => {
  const totals = new Totals()
  totals.add(0, comparison('equal'))
  change(totals)
  expect(totals.hasFindings).toBe(expected)
})
