/**
 * `npm run soak:advertiser -- --seeds N`: runs the advertiser against random faults in virtual time for N seeds. Resources are
 * declared in the file, and with every fourth seed as objects, too.
 */
import { parseArgs } from 'node:util'
import { runSeed, stepNames } from './faults/run-seed.ts'

const OBJECTS_EVERY = 4
const PROGRESS_EVERY = 500

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' } },
})
const [first, count] = [values.from, values.seeds].map(Number) as [number, number]
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1) {
  process.stderr.write('Usage: npm run soak:advertiser -- [--seeds N] [--from SEED]\n')
  process.exit(2)
}

const counts = new Map<string, number>()
const startedMs = performance.now()
let runs = 0
let failedRuns = 0
async function run(seed: number, asObjects: boolean): Promise<void> {
  const problems = await runSeed(seed, counts, { asObjects })
  runs += 1
  if (problems.length === 0) return
  failedRuns += 1
  process.stdout.write(`seed ${seed} ${asObjects ? 'as objects' : 'in the file'}: ${problems.join('; ')}\n`)
}

for (let seed = first; seed < first + count; seed++) {
  await run(seed, false)
  if (seed % OBJECTS_EVERY === 0) await run(seed, true)
  if ((seed - first) % PROGRESS_EVERY === PROGRESS_EVERY - 1)
    process.stderr.write(`${seed - first + 1} of ${count} seeds, ${failedRuns} failed\n`)
}
const seconds = Math.round((performance.now() - startedMs) / 1000)
process.stdout.write(`${count} seeds in ${runs} runs, ${failedRuns} failed, ${seconds} s\n`)
for (const name of stepNames) process.stdout.write(`  ${counts.get(name) ?? 0} times: ${name}\n`)
if (failedRuns > 0) process.exitCode = 1
