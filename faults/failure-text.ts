import type { LostSeeds } from './jobs/run-seeds.ts'
import { repeatCommand } from './jobs/seed-range.ts'
import type { SeedResult } from './run-seed.ts'

const MAX_PROBLEMS = 20

/** Describes a failed seed: its faults, the violated invariants, and the command that repeats it. */
export function failureText({ seed, faults, problems }: SeedResult, mutant?: string): string {
  const lines = [
    `seed ${seed} failed; repeat it with: ${repeatCommand({ from: seed, seeds: 1 }, mutant)}`,
    ...faults.map((fault) => `  fault at ${fault}`),
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `  ${problem}`),
    ...(problems.length > MAX_PROBLEMS ? [`  and ${problems.length - MAX_PROBLEMS} more`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** Describes the seeds of a process that ended early. */
export function lostSeedsText(lost: LostSeeds, mutant?: string): string {
  const { from, seeds, status } = lost
  const range = seeds === 1 ? `seed ${from} has` : `seeds ${from} to ${from + seeds - 1} have`
  return `${range} no result: their process ended with ${status} during seed ${from}; repeat with: ${repeatCommand(lost, mutant)}\n`
}
