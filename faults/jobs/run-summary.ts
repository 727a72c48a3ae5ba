import { createFaultCounts } from '../fault-counts.ts'
import type { SeedResult } from '../run-seed.ts'
import type { LostSeeds } from './run-seeds.ts'
import { repeatCommand, type SeedRange } from './seed-range.ts'

const MAX_COMMANDS = 10
/** In as many seeds, each fault happens: the rarest ones a dozen times. */
const ENOUGH_SEEDS = 1_000

/** Merges the results of the seeds, which may come in any order. */
export interface RunSummary {
  add(result: SeedResult): void
  addLost(lost: LostSeeds): void
  /** Number of seeds with a result. */
  done(): number
  /** Number of seeds that violate an invariant or have no result because their process ended. */
  failed(): number
  /** Returns the faults that no seed has injected, although there were enough seeds: they cannot happen. */
  missingFaults(): readonly string[]
  /** Returns the injected faults by kind, and the commands that repeat the first failures. */
  text(): string
}

/** Creates a summary of a run without results. */
export function createRunSummary({ mutant }: { readonly mutant?: string | undefined } = {}): RunSummary {
  const counts = createFaultCounts()
  const failures: SeedRange[] = []
  let done = 0
  const failed = (): number => failures.reduce((sum, { seeds }) => sum + seeds, 0)

  const failuresText = (): string => {
    if (failures.length === 0) return ''
    const first = failures.toSorted((a, b) => a.from - b.from).slice(0, MAX_COMMANDS)
    const rest = failures.length - first.length
    const lines = first.map((range) => `  ${repeatCommand(range, mutant)}\n`)
    return `Repeat the failures with:\n${lines.join('')}${rest > 0 ? `  and ${rest} more\n` : ''}`
  }

  return {
    add(result) {
      counts.add(result)
      done++
      if (result.problems.length > 0) failures.push({ from: result.seed, seeds: 1 })
    },
    addLost: (lost) => void failures.push(lost),
    done: () => done,
    failed,
    missingFaults: () => (done < ENOUGH_SEEDS ? [] : counts.missing()),
    text: () => `${counts.text()}${failuresText()}`,
  }
}
