/** `npm run soak:devices -- --seeds N`: runs a node through the seeded faults F11 to F15 for N seeds. */
import { parseArgs } from 'node:util'
import { runDeviceSeed } from './faults/run-device-seed.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' } },
})
const [from, seeds] = [Number(values.from), Number(values.seeds)]
if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from)) {
  process.stderr.write('Usage: npm run soak:devices -- [--seeds N] [--from SEED]\n')
  process.exit(2)
}

const startedAt = performance.now()
const counts = new Map<string, number>()
let failed = 0
for (let seed = from; seed < from + seeds; seed++) {
  const problems = await runDeviceSeed(seed, counts)
  if (problems.length === 0) continue
  failed++
  process.exitCode = 1
  process.stdout.write(`seed ${seed}: ${problems.join('; ')}\n`)
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
process.stdout.write(`${seeds} seeds, ${failed} failed, ${seconds} s\n`)
for (const [name, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(`  ${count} times: ${name}\n`)
