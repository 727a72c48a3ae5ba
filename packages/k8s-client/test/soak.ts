/** `npm run soak -- --seeds N`: runs the seeded faults for N seeds. */
import { parseArgs } from 'node:util'
import { createFaultCounts } from './faults/fault-counts.ts'
import { runBindSeed } from './faults/run-bind-seed.ts'
import { runReflectorSeed } from './faults/run-reflector-seed.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' } },
})
const from = Number(values.from)
const seeds = Number(values.seeds)
if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from)) {
  process.stderr.write('Usage: npm run soak -- [--seeds N] [--from SEED]\n')
  process.exit(2)
}

const PROGRESS_EVERY_MS = 5_000

for (const [what, run] of [
  ['reflector', runReflectorSeed],
  ['bind', runBindSeed],
] as const) {
  const startedAt = performance.now()
  const counts = createFaultCounts()
  let failed = 0
  let reportedAt = startedAt
  for (let seed = from; seed < from + seeds; seed++) {
    if (performance.now() - reportedAt >= PROGRESS_EVERY_MS) {
      reportedAt = performance.now()
      process.stderr.write(`${what}: ${seed - from} of ${seeds} seeds, ${failed} failed\n`)
    }
    const problems = await run(seed, counts)
    if (problems.length === 0) continue
    failed += 1
    process.exitCode = 1
    process.stdout.write(`${what} seed ${seed}: ${problems.join('; ')}\n`)
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  process.stdout.write(`${what}: ${seeds} seeds, ${failed} failed, ${seconds} s\n`)
  process.stdout.write(`  faults injected/observed: ${counts.report()}\n`)
  for (const line of counts.recoveries()) process.stdout.write(`  ${line}\n`)
}
