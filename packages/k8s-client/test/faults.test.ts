import { expect, test } from 'vitest'
import { bindFaults } from './faults/bind-server.ts'
import { createFaultCounts } from './faults/fault-counts.ts'
import { longFaults } from './faults/long-faults.ts'
import { reflectorFaults } from './faults/reflector-faults.ts'
import { runBindSeed } from './faults/run-bind-seed.ts'
import { runReflectorSeed } from './faults/run-reflector-seed.ts'

const SEEDS = 200

test.for([
  {
    it: 'the store equals a fresh list, no event is missed or invented',
    run: runReflectorSeed,
    classes: [...reflectorFaults, ...longFaults].map(({ name }) => name),
  },
  { it: 'every reported outcome of a bind is true', run: runBindSeed, classes: bindFaults },
])(`after random faults $it (${SEEDS} seeds)`, { timeout: 600_000 }, async ({ run, classes }) => {
  const counts = createFaultCounts()
  for (let seed = 1; seed <= SEEDS; seed++) expect(await run(seed, counts), `seed ${seed}`).toEqual([])
  process.stdout.write(`Faults injected/observed: ${counts.report()}\n${counts.recoveries().join('\n')}\n`)
  expect(counts.missing(classes), 'classes of faults that never happened').toEqual([])
})
