/** A process that runs seeds and sends the result of each: `seed-process.ts FROM SEEDS [MUTANT]`. */
import { mutants } from '../mutants/mutants.ts'
import { plantMutant } from '../mutants/plant-mutant.ts'
import type { SeedResult } from '../run-seed.ts'

// Ctrl-C reaches all processes of a terminal. The parent counts what was done and ends this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
process.once('disconnect', () => process.exit())

const [from = '1', seeds = '1', name] = process.argv.slice(2)
const mutant = mutants.find((each) => each.name === name)
if (name !== undefined && mutant === undefined) throw new RangeError(`there is no mutant ${name}`)
if (mutant !== undefined) plantMutant(mutant)
// Loaded after the mutant is planted.
const { runSeed } = await import('../run-seed.ts')

/** Sends a result and waits until it is written, because the end of the process would discard it. */
async function send(result: SeedResult): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.send?.(result, () => resolve())
  await promise
}

for (let seed = Number(from); seed < Number(from) + Number(seeds); seed++) await send(await runSeed(seed))
process.disconnect?.()
