import { createFaultCounts } from '../fault-counts.ts'
import type { SeedResult } from '../run-seed.ts'
import { runSeeds } from '../run-seeds.ts'
import { mutants, type Mutant } from './mutants.ts'

/**
 * Runs seeds with a planted bug until one fails that passes without the bug. Returns that one; undefined if the bug was not
 * found.
 *
 * @param onResult - Called with the result of each seed with the bug.
 */
export async function findMutant(
  { name }: Mutant,
  seeds: number,
  onResult: (result: SeedResult) => void = () => undefined,
): Promise<SeedResult | undefined> {
  for (let from = 1; from <= seeds;) {
    const failed = await firstFailure({ from, seeds: seeds - from + 1, mutant: name }, onResult)
    if (failed === undefined) return undefined
    if ((await firstFailure({ from: failed.seed, seeds: 1 })) === undefined) return failed
    from = failed.seed + 1
  }
  return undefined
}

async function firstFailure(
  range: { readonly from: number; readonly seeds: number; readonly mutant?: string },
  onResult: (result: SeedResult) => void = () => undefined,
): Promise<SeedResult | undefined> {
  let found: SeedResult | undefined
  await runSeeds({
    ...range,
    stopsAtFailure: true,
    onResult(result) {
      onResult(result)
      if (result.problems.length > 0) found = result
    },
  })
  return found
}

/** Plants every bug in turn, and prints which violation it caused and the faults that were injected. Returns whether all were found. */
export async function checkMutants(seeds: number, write: (text: string) => void): Promise<boolean> {
  const counts = createFaultCounts()
  let survivors = 0
  for (const mutant of mutants) {
    const { app, name } = mutant
    const found = await findMutant(mutant, seeds, (result) => counts.add(result))
    if (found === undefined) survivors++
    const result = found === undefined ? `not found in ${seeds} seeds` : `seed ${found.seed}, ${found.problems[0]}`
    write(`${found === undefined ? 'SURVIVED' : 'caught  '} ${app} ${name}: ${result}\n`)
  }
  write(`${mutants.length} mutants, ${survivors} survived\n${counts.text()}`)
  return survivors === 0
}
