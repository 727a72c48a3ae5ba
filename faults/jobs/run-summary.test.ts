import { expect, test } from 'vitest'
import { systemFaults } from '../faults/system-faults.ts'
import type { SeedResult } from '../run-seed.ts'
import { createRunSummary } from './run-summary.ts'

const FAULT = 'F2 a bind is lost'

function resultOf(seed: number, fields: Partial<SeedResult> = {}): SeedResult {
  return { seed, problems: [], faults: [], counts: {}, digest: '', ...fields }
}

test('sums the faults of all results by kind', () => {
  const summary = createRunSummary()
  summary.add(resultOf(2, { counts: { [FAULT]: 3 } }))
  summary.add(resultOf(1, { counts: { [FAULT]: 1, 'F4 503': 2 } }))
  expect(summary.done()).toBe(2)
  expect(summary.failed()).toBe(0)
  expect(summary.text()).toMatch(/^Injected:\n/)
  expect(summary.text()).toContain(`  4 times: ${FAULT}\n`)
  expect(summary.text()).toContain('  2 times: F4 503\n')
  expect(summary.text()).toContain('  0 times: F4 500\n')
  expect(summary.text()).not.toContain('Repeat')
})

test('names the failed seeds with their commands in the order of the seeds, whatever order they end in', () => {
  const summary = createRunSummary({ mutant: 'no-assume' })
  for (const seed of [31, 4, 17]) summary.add(resultOf(seed, { problems: ['I2: overcommitted'] }))
  summary.add(resultOf(5))
  expect(summary.failed()).toBe(3)
  expect(summary.text()).toContain(
    'Repeat the failures with:\n' +
      '  npm run faults -- --from 4 --seeds 1 --mutant no-assume\n' +
      '  npm run faults -- --from 17 --seeds 1 --mutant no-assume\n' +
      '  npm run faults -- --from 31 --seeds 1 --mutant no-assume\n',
  )
})

test('counts seeds without a result as failed, with the command for their range', () => {
  const summary = createRunSummary()
  summary.add(resultOf(21))
  summary.addLost({ from: 22, seeds: 19, status: 'SIGKILL' })
  expect(summary.done()).toBe(1)
  expect(summary.failed()).toBe(19)
  expect(summary.text()).toContain('Repeat the failures with:\n  npm run faults -- --from 22 --seeds 19\n')
})

test('names the first ten failures', () => {
  const summary = createRunSummary()
  for (let seed = 12; seed > 0; seed--) summary.add(resultOf(seed, { problems: ['I3: left behind'] }))
  expect(summary.text()).toMatch(/--from 10 --seeds 1\n {2}and 2 more\n$/)
})

test('names the faults that never happened in a thousand seeds', () => {
  const summary = createRunSummary()
  const all = Object.fromEntries(systemFaults.map(({ name }) => [name, 1]))
  const { [FAULT]: _, ...others } = all
  summary.add(resultOf(1, { counts: others }))
  expect(summary.missingFaults()).toEqual([])
  for (let seed = 2; seed <= 1_000; seed++) summary.add(resultOf(seed))
  expect(summary.missingFaults()).toEqual([FAULT])
  summary.add(resultOf(1_001, { counts: { [FAULT]: 1 } }))
  expect(summary.missingFaults()).toEqual([])
})
