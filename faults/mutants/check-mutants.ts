import { forEachConcurrently } from '@berth/clock'
import { createFaultCounts } from '../fault-counts.ts'
import { runSeeds } from '../jobs/run-seeds.ts'
import type { SeedRange } from '../jobs/seed-range.ts'
import type { SeedResult } from '../run-seed.ts'
import { mutants, type Mutant } from './mutants.ts'

/** Options of {@link findMutant}. */
export interface FindMutantOptions {
  /** Ends the search. Default: it runs to its end. */
  readonly signal?: AbortSignal | undefined
  /** Called with the result of each seed with the bug. */
  readonly onResult?: (result: SeedResult) => void
}

/**
 * Runs seeds with a planted bug until one fails that passes without the bug. Returns that one; undefined if the bug was not
 * found.
 *
 * @throws Error when the process of a seed ends early.
 */
export async function findMutant(
  { name }: Mutant,
  seeds: number,
  options: FindMutantOptions = {},
): Promise<SeedResult | undefined> {
  const { signal } = options
  for (let from = 1; from <= seeds;) {
    const failed = await firstFailure({ from, seeds: seeds - from + 1, mutant: name }, options)
    if (failed === undefined) return undefined
    const unplanted = await firstFailure({ from: failed.seed, seeds: 1 }, { signal })
    if (signal?.aborted) return undefined
    if (unplanted === undefined) return failed
    from = failed.seed + 1
  }
  return undefined
}

async function firstFailure(
  range: SeedRange & { readonly mutant?: string },
  { signal, onResult }: FindMutantOptions,
): Promise<SeedResult | undefined> {
  let found: SeedResult | undefined
  let lost: Error | undefined
  await runSeeds({
    ...range,
    signal,
    stopsAtFailure: true,
    onResult(result) {
      onResult?.(result)
      if (result.problems.length > 0) found = result
    },
    onLost: ({ from, status }) => (lost ??= new Error(`the process of seed ${from} ended with ${status}`)),
  })
  if (lost !== undefined) throw lost
  return found
}

/** Options of {@link checkMutants}. */
export interface CheckMutantsOptions {
  /** Seeds for each bug. */
  readonly seeds: number
  /** Number of bugs that are tried at a time. */
  readonly jobs: number
  /** Ends the check, after which the bugs that were tried until then are summed up. */
  readonly signal: AbortSignal
  readonly write: (text: string) => void
}

/** Plants every bug, and prints which violation it caused and the faults that were injected. Returns whether all were found. */
export async function checkMutants({ seeds, jobs, signal, write }: CheckMutantsOptions): Promise<boolean> {
  const counts = createFaultCounts()
  let tried = 0
  let survivors = 0
  await forEachConcurrently(
    mutants,
    jobs,
    async (mutant) => {
      const { app, name } = mutant
      const onResult = (result: SeedResult): void => counts.add(result)
      const found = await findMutant(mutant, seeds, { signal, onResult }).catch((error: unknown) => error as Error)
      if (signal.aborted) return
      tried++
      const isFound = found !== undefined && !(found instanceof Error)
      if (!isFound) survivors++
      const miss = found instanceof Error ? found.message : `not found in ${seeds} seeds`
      const result = isFound ? `seed ${found.seed}, ${found.problems[0]}` : miss
      write(`${isFound ? 'caught  ' : 'SURVIVED'} ${app} ${name}: ${result}\n`)
    },
    signal,
  )
  if (signal.aborted) write(`Interrupted after ${tried} of ${mutants.length} mutants.\n`)
  write(`${tried} mutants, ${survivors} survived\n${counts.text()}`)
  return tried === mutants.length && survivors === 0
}
