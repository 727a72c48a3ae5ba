import type { SeedResult } from './run-seed.ts'

const MAX_PROBLEMS = 20

/** Describes a failed seed: its faults, the violated invariants, and the command that repeats it. */
export function failureText({ seed, faults, problems }: SeedResult): string {
  const lines = [
    `seed ${seed} failed; repeat it with: npm run faults -- --from ${seed} --seeds 1`,
    ...faults.map((fault) => `  fault at ${fault}`),
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `  ${problem}`),
    ...(problems.length > MAX_PROBLEMS ? [`  and ${problems.length - MAX_PROBLEMS} more`] : []),
  ]
  return `${lines.join('\n')}\n`
}
