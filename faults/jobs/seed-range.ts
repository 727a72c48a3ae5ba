/** Consecutive seeds. */
export interface SeedRange {
  readonly from: number
  readonly seeds: number
}

/**
 * Seeds for each process. A process that was killed in virtual time leaves waits behind that never end, and Node keeps
 * the signals of `AbortSignal.any` for as long as something waits for them: about 5 MB for each seed.
 */
const SEEDS_PER_PROCESS = 20

/** Splits seeds into the ranges of the processes, in order. Ranges are shorter if some of the jobs had no range otherwise. */
export function splitSeeds({ from, seeds }: SeedRange, jobs: number): readonly SeedRange[] {
  const size = Math.min(SEEDS_PER_PROCESS, Math.ceil(seeds / jobs))
  const ranges: SeedRange[] = []
  for (let done = 0; done < seeds; done += size) ranges.push({ from: from + done, seeds: Math.min(size, seeds - done) })
  return ranges
}

/** Returns the command that repeats the seeds. */
export function repeatCommand({ from, seeds }: SeedRange, mutant?: string): string {
  return `npm run faults -- --from ${from} --seeds ${seeds}${mutant === undefined ? '' : ` --mutant ${mutant}`}`
}
