import { expect, test } from 'vitest'
import { compareResults } from './compare-results.ts'
import type { SpecResults, SpecState } from './read-report.ts'

const results = (states: Readonly<Record<string, SpecState>>): SpecResults =>
  new Map(
    Object.entries(states).map(([spec, state]) => [
      spec,
      { state, message: state === 'passed' ? '' : 'why\nmore', seconds: 1 },
    ]),
  )

test('a spec passes if it passes with both schedulers', () => {
  const compared = compareResults(results({ b: 'passed', a: 'passed' }), results({ a: 'passed', b: 'passed' }))
  expect(compared).toEqual([
    { spec: 'a', isPassed: true, problem: '' },
    { spec: 'b', isPassed: true, problem: '' },
  ])
})

test.for([
  ['fails', 'failed', 'With Berth: failed (why)'],
  ['skips itself', 'skipped', 'With Berth: skipped (why)'],
] as const)('a spec that passes with kube-scheduler and %s with Berth is a problem', ([, state, problem]) => {
  const [compared] = compareResults(results({ a: 'passed' }), results({ a: state }))
  expect(compared).toMatchObject({ isPassed: false, problem: expect.stringContaining(problem) as string })
})

test('a spec that runs with kube-scheduler only is a problem', () => {
  const [compared] = compareResults(results({ a: 'passed' }), results({}))
  expect(compared).toMatchObject({ isPassed: false, problem: expect.stringContaining('did not run') as string })
})

test.for(['failed', 'skipped'] as const)('a spec that %s with kube-scheduler must be on the skip list', (state) => {
  const [compared] = compareResults(results({ a: state }), results({ a: 'passed' }))
  expect(compared).toMatchObject({ isPassed: false, problem: expect.stringContaining('skip list') as string })
})
