import { expect, test } from 'vitest'
import { failureText, lostSeedsText } from './failure-text.ts'
import { systemFaults } from './faults/system-faults.ts'
import { runSeeds } from './jobs/run-seeds.ts'
import { findMutant } from './mutants/check-mutants.ts'
import { mutants } from './mutants/mutants.ts'
import { mutatedText, sourceOf } from './mutants/plant-mutant.ts'
import { runSeed } from './run-seed.ts'

const SEEDS = 20

test(`all apps keep the invariants under seeded faults (${SEEDS} seeds)`, async () => {
  const counts = new Map<string, number>()
  let failures = ''
  await runSeeds({
    from: 1,
    seeds: SEEDS,
    stopsAtFailure: false,
    onResult(result) {
      for (const [name, count] of Object.entries(result.counts)) counts.set(name, (counts.get(name) ?? 0) + count)
      if (result.problems.length > 0) failures += failureText(result)
    },
    onLost: (lost) => void (failures += lostSeedsText(lost)),
  })
  process.stdout.write(`Faults injected: ${[...counts].map(([name, count]) => `${name}: ${count}`).join(', ')}\n`)
  expect(failures).toBe('')
  const rows = new Set([...counts].filter(([, count]) => count > 0).map(([name]) => name.split(' ')[0]))
  const missing = systemFaults.map(({ name }) => name.split(' ')[0]).filter((row) => !rows.has(row))
  expect(missing, 'rows of the fault table that never happened').toEqual([])
})

test('a seed repeats the same requests at the same times', async () => {
  const first = await runSeed(7)
  expect(first.faults.length).toBeGreaterThan(0)
  expect(await runSeed(7)).toEqual(first)
})

test.for(mutants)('the text that the planted bug $name replaces is in the code once', (mutant) => {
  expect(mutatedText(sourceOf(mutant), mutant)).not.toBe(sourceOf(mutant))
})

test.for([
  { name: 'bind-without-uid', problem: /^I3: .* without its uid/ },
  { name: 'no-withdrawal', problem: /^I4: / },
  { name: 'extender-takes-no-units', problem: /^I2: .* berth-extender .* example.com\/licence/ },
])('the fault run finds the planted bug $name', async ({ name, problem }) => {
  const mutant = mutants.find((each) => each.name === name)
  const found = mutant && (await findMutant(mutant, 30))
  expect(found?.problems).toContainEqual(expect.stringMatching(problem))
})
